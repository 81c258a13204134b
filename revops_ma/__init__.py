"""revops_ma: adversarial self-play on business operations."""
