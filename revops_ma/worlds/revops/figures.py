"""How the figures of `facts` and `trace` are shown."""

from __future__ import annotations

from revops_ma.game import Figure
from revops_ma.worlds.revops.company import CHURN_CEILING, MRR_FLOOR

FIGURES = {
    "mrr": Figure("MRR", "$", (MRR_FLOOR,)),
    "runway": Figure("Cash runway", "months", (0.0,)),
    "churn": Figure("Churn a month", "%", (CHURN_CEILING,)),
    "cac": Figure("CAC", "$"),
    "ltv": Figure("LTV", "$"),
    "ltv_cac_ratio": Figure("LTV / CAC"),
    "support": Figure("Support quality", "%"),
    "marketing": Figure("Marketing a month", "$"),
    "final_mrr": Figure("Final MRR", "$"),
}
