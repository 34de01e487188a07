"""Clusters: what is open, what can be read live, and the fleet that the history knows."""

from components import addresses, clusters_fleet, clusters_live, clusters_open, frame, navigation
from components.navigation import View

seat = frame.standalone(linked=True)
view = navigation.draw_views()
own: dict[str, str] = {}
if view is View.LIVE:
    clusters_live.draw()
elif view is View.FLEET:
    own = clusters_fleet.draw()
else:
    clusters_open.draw(seat)
addresses.publish(seat, view.query | own)
