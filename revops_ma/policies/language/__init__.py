"""Language agents: any model behind one `complete(requests) -> responses`."""

from revops_ma.policies.language.agent import LanguageAgent, can_sit, make

__all__ = ["LanguageAgent", "can_sit", "make"]
