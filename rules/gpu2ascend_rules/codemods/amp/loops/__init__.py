"""Training loops as mixed precision sees them: forward passes, backward passes, steps, looks at gradients."""
