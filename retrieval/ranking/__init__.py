"""Which of the fused candidates answers a question about code: `rerank` applies the named `signals` to `features`."""
