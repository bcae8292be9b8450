"""A drone as a source of evidence: survey, geofence, place estimate, failsafes, reports.

Nothing here knows a middleware; time is an argument. :class:`~adm_core.aerial.pilot.Pilot` flies
anything that obeys :class:`~adm_core.aerial.drone.Drone`; the Tello is
:class:`~adm_core.aerial.tello.TelloDrone`.
"""
