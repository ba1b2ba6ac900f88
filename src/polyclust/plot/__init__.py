"""Pictures of clusters and of the search for them. matplotlib (an extra) is loaded when one is drawn."""

from polyclust.plot.families import draw_families
from polyclust.plot.history import HistoryDisplay
from polyclust.plot.polytopes import PolytopeDisplay
from polyclust.plot.scores import ScoresDisplay
from polyclust.plot.silhouettes import SilhouetteDisplay

__all__ = ["HistoryDisplay", "PolytopeDisplay", "ScoresDisplay", "SilhouetteDisplay", "draw_families"]
