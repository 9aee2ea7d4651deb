"""NPU1xx: ``torch.cuda`` names, their imports, tensor methods and types."""
