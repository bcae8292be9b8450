"""A model of move_base's action server: SimpleActionServer as measured, with a clock of its own."""

from adm_nodes.navigation.addressing import GoalState, GoalStatus

LIST_TIMEOUT_S = 5.0


class ActionServerModel:
    """One current and one next goal; cancels by id and by stamp; terminal goals stay listed.

    Takes stamps as actionlib does: zero means now, by its own clock.
    """

    def __init__(self, skew_s=0.0):
        self.skew_s = skew_s
        self.restart()

    def restart(self):
        self.goals = {}  # id to [state, stamp, time of end]
        self.current = self.next = None
        self.last_cancel = self.last_stamp = float("-inf")
        self.results = []

    def on_goal(self, goal_id, stamp, now):
        known = self.goals.get(goal_id)
        if known is not None:
            if known[0] is GoalState.RECALLING:
                self._end(goal_id, GoalState.RECALLED, now)
            return
        stamp = stamp or now + self.skew_s
        self.goals[goal_id] = [GoalState.PENDING, stamp, None]
        if stamp <= self.last_cancel or stamp < self.last_stamp:
            self._end(goal_id, GoalState.RECALLED, now)
            return
        if self.next is not None:
            self._end(self.next, GoalState.RECALLED, now)
        self.next = goal_id

    def on_cancel(self, goal_id, stamp, now):
        if goal_id and goal_id not in self.goals:
            self.goals[goal_id] = [GoalState.RECALLING, stamp, now]
        for other, (state, other_stamp, _) in list(self.goals.items()):
            everything = not goal_id and not stamp
            if other == goal_id or everything or (stamp and other_stamp <= stamp):
                if state is GoalState.PENDING:
                    self.goals[other][0] = GoalState.RECALLING
                elif state is GoalState.ACTIVE:
                    self.goals[other][0] = GoalState.PREEMPTING
        self.last_cancel = max(self.last_cancel, stamp or float("-inf"))

    def step(self, now):
        """One cycle of the control loop."""
        if self.current is not None and (
            self.next is not None or self.goals[self.current][0] is GoalState.PREEMPTING
        ):
            self._end(self.current, GoalState.PREEMPTED, now)
            self.current = None
        if self.current is None and self.next is not None:
            self.current, self.next = self.next, None
            if self.goals[self.current][0] is GoalState.RECALLING:
                self._end(self.current, GoalState.RECALLED, now)
                self.current = None
            else:
                self.goals[self.current][0] = GoalState.ACTIVE
                self.last_stamp = self.goals[self.current][1]

    def finish(self, state, now):
        """Let the current goal end by itself."""
        if self.current is not None and self.goals[self.current][0] is GoalState.ACTIVE:
            self._end(self.current, state, now)
            self.current = None

    def status(self, now):
        for goal_id, (_, _, ended) in list(self.goals.items()):
            if ended is not None and now - ended > LIST_TIMEOUT_S:
                del self.goals[goal_id]
        return [GoalStatus(goal_id, entry[0]) for goal_id, entry in self.goals.items()]

    @property
    def alive(self):
        """Goals that drive the base or will."""
        driving = (GoalState.PENDING, GoalState.ACTIVE, GoalState.PREEMPTING)
        return [goal_id for goal_id, entry in self.goals.items() if entry[0] in driving]

    def _end(self, goal_id, state, now):
        self.goals[goal_id][0] = state
        self.goals[goal_id][2] = now
        self.results.append(GoalStatus(goal_id, state))
