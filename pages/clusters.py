"""Clusters: what is open, what can be read live, and the fleet that the history knows."""

from components.clusters import fleet_view, live_view, open_view
from components.shell import frame, navigation
from components.shell.navigation import ClustersView
from components.state import addresses

open_layout = frame.standalone(linked=True)
view = navigation.draw_views()
own: dict[str, str] = {}
addresses.title("" if view is ClustersView.OPEN else view.title)
if view is ClustersView.LIVE:
    live_view.draw()
elif view is ClustersView.FLEET:
    own = fleet_view.draw()
else:
    open_view.draw(open_layout)
addresses.publish(view.query | own)
