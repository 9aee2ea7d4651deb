"""Data parallel training: several processes with the same weights, each with a part of the data.

Converted where it is asked for (``--distributed``), because then every training step of a project has to
average its gradients, also in files that show nothing of several processes.
"""
