"""The device ``npu`` in pure Python: real tensors of torch's PrivateUse1 backend in memory of the host.

`install` (module `installation`) makes it; `library` is what a torch_npu made in Python is built on;
`trace` says which operators ran, `restrictions` which data types an operator refuses.
"""
