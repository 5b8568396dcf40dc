"""Many machines at once: arrays of them, batches on the processor and on an accelerator."""
