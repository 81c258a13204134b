"""What a model on this machine needs: its weights, its generation, answers bound to a schema."""
