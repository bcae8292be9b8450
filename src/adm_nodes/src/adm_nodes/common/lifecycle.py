"""Base of the lifecycle nodes: transitions that end in a defined state, heartbeats, release."""

from __future__ import annotations

import os
import sys
import threading
import traceback
from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from typing import Any

from adm_core.errors import AdmError
from lifecycle_msgs.srv import ChangeState
from rcl_interfaces.msg import ParameterDescriptor, SetParametersResult
from rclpy.action import ActionServer, CancelResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.exceptions import InvalidHandle
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn
from rclpy.logging import LoggingSeverity
from rclpy.parameter import Parameter

from adm_interfaces.msg import NodeStatus
from adm_nodes.common import qos
from adm_nodes.common.clocks import STEADY
from adm_nodes.common.service import KEPT, OnceService

RCLError = rclpy_implementation.RCLError

HEARTBEAT_S = 0.5
_LEVELS = {item.name.lower(): item for item in LoggingSeverity if item.name != "UNSET"}
_LEVEL = ParameterDescriptor(
    description="least severity that is logged",
    additional_constraints="one of " + ", ".join(_LEVELS),
)


def loaded_kernels() -> list[str]:
    """Return the compiled kernel modules that this process has loaded."""
    head = "adm_core._kernels."
    return sorted(name for name in list(sys.modules) if name.startswith(head))


class AdmNode(LifecycleNode):
    """Lifecycle node with hooks that may raise.

    Subclasses override :meth:`setup`, :meth:`start`, :meth:`stop` and :meth:`reset`, and make
    ROS entities through the ``add_*`` methods, so that releasing them is no work of theirs.
    An expected error (AdmError, ValueError) makes a transition fail with one line in the log;
    any other is logged with its trace, and the node goes back to unconfigured.

    Parameters
    ----------
    log_level : string
        Least severity that is logged; may be changed at any time, like those in `changeable`.

    Topics
    ------
    node_status : NodeStatus, published
        Heartbeat.
    """

    #: Parameters that may change while the node is configured; all others would be a new run.
    changeable: frozenset[str] = frozenset()

    def __init__(self, name: str, **kwargs: Any) -> None:
        super().__init__(name, **kwargs)
        self._active = False
        self._messages = 0
        self._count_lock = threading.Lock()
        self._releases: list[Callable[[], object]] = []
        self._once_group = ReentrantCallbackGroup()
        self._refuse_illegal_transitions()
        self.add_on_set_parameters_callback(self._check_parameter_change)
        self.add_post_set_parameters_callback(self._on_parameters)
        self.declare_parameter("log_level", "info", _LEVEL)
        self._beats = self.create_publisher(NodeStatus, "node_status", qos.STATUS)
        self._beat_timer = self.create_timer(
            HEARTBEAT_S, self.beat, callback_group=ReentrantCallbackGroup(), clock=STEADY
        )

    # -- hooks ------------------------------------------------------------------------------

    def setup(self) -> None:
        """Read parameters, build the core, make ROS entities (configure)."""

    def start(self) -> None:
        """Begin to act; publishers are open (activate)."""

    def stop(self) -> None:
        """Cease to act; publishers are still open (deactivate, and before release)."""

    def reset(self) -> None:
        """Drop the core; must bear to be called in any state."""

    def adopt(self, changed: dict[str, Any]) -> None:
        """Take up new values of :attr:`changeable` parameters (while configured)."""

    # -- state ------------------------------------------------------------------------------

    @property
    def is_active(self) -> bool:
        """Whether the node may act."""
        return self._active

    @property
    def state_label(self) -> str:
        """Name of the lifecycle state."""
        return self._state_machine.current_state[1]

    def count_message(self) -> None:
        """Count one message of the mission that this node sent."""
        with self._count_lock:
            self._messages += 1

    def beat(self) -> None:
        """Publish the heartbeat."""
        self._beats.publish(
            NodeStatus(
                node=self.get_fully_qualified_name().lstrip("/"),
                pid=os.getpid(),
                state=self.state_label,
                kernels=loaded_kernels(),
                messages_sent=self._messages,
            )
        )

    # -- transitions ------------------------------------------------------------------------

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Set up; on failure nothing is left behind."""

        def configure() -> TransitionCallbackReturn:
            try:
                self.setup()
            except BaseException:
                self.release()
                raise
            return super(AdmNode, self).on_configure(state)

        return self._transition("configure", configure)

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Open the publishers and start."""

        def activate() -> TransitionCallbackReturn:
            opened = super(AdmNode, self).on_activate(state)
            self._active = True
            try:
                self.start()
            except BaseException:
                self._active = False
                super(AdmNode, self).on_deactivate(state)
                raise
            return opened

        return self._transition("activate", activate)

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Stop and close the publishers."""

        def deactivate() -> TransitionCallbackReturn:
            self._active = False
            self.stop()
            return super(AdmNode, self).on_deactivate(state)

        return self._transition("deactivate", deactivate)

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Release everything."""

        def clean_up() -> TransitionCallbackReturn:
            self.release()
            return TransitionCallbackReturn.SUCCESS

        return self._transition("clean up", clean_up)

    on_shutdown = on_error = on_cleanup  # all three may start from any state

    def release(self) -> None:
        """Stop, drop the core and destroy all ROS entities; safe to repeat."""
        self._active = False
        try:
            self.stop()
        finally:
            self.reset()
            while self._releases:
                self._releases.pop()()

    def _transition(
        self, name: str, action: Callable[[], TransitionCallbackReturn]
    ) -> TransitionCallbackReturn:
        """Run one transition; no exception leaves it unlogged."""
        try:
            return action()
        except (AdmError, ValueError) as err:
            self.get_logger().error(f"cannot {name}: {err}")
            return TransitionCallbackReturn.FAILURE
        except Exception:
            self.get_logger().error(f"cannot {name}:\n{traceback.format_exc()}")
            return TransitionCallbackReturn.ERROR

    def _refuse_illegal_transitions(self) -> None:
        """Answer an illegal request with failure: as it is, it would end the spinning thread."""
        service = self._service_change_state
        change_state = service.callback

        def checked(
            request: ChangeState.Request, response: ChangeState.Response
        ) -> ChangeState.Response:
            try:
                response = change_state(request, response)
            except RCLError as err:
                asked = request.transition.label or request.transition.id
                self.get_logger().warning(
                    f"transition {asked} refused in state {self.state_label}: {err}"
                )
                response.success = False
            self.beat()
            return response

        service.callback = checked

    def _check_parameter_change(self, changed: list[Parameter]) -> SetParametersResult:
        """Refuse what would have no effect: most parameters are read when configuring."""
        for item in changed:
            if item.name == "log_level" and item.value not in _LEVELS:
                words = ", ".join(_LEVELS)
                return SetParametersResult(reason=f"log_level must be one of {words}")
        free = {"use_sim_time", "log_level", *self.changeable}
        own = [item.name for item in changed if item.name not in free]
        if not own or self.state_label == "unconfigured":
            return SetParametersResult(successful=True)
        return SetParametersResult(
            successful=False,
            reason=f"{', '.join(own)}: read when configuring; clean the node up first",
        )

    def _on_parameters(self, changed: list[Parameter]) -> None:
        values = {item.name: item.value for item in changed}
        if "log_level" in values:
            self.get_logger().set_level(_LEVELS[values["log_level"]])
        if self.state_label in ("inactive", "active") and self.changeable & set(values):
            self.adopt(values)

    # -- ROS entities -----------------------------------------------------------------------

    def add_release(self, release: Callable[[], object]) -> None:
        """Have something called when the node is released."""
        self._releases.append(release)

    def add_publisher(self, msg_type: Any, topic: str, profile: Any) -> Callable[[Any], None]:
        """Return a function that publishes on `topic` while the node is active."""
        publisher = self.create_lifecycle_publisher(msg_type, topic, profile)
        self._releases.append(lambda: self.destroy_lifecycle_publisher(publisher))

        def publish(message: Any) -> None:
            if publisher.is_activated:
                self.count_message()
                publisher.publish(message)

        return publish

    def add_subscription(
        self, msg_type: Any, topic: str, profile: Any, callback: Callable[[Any], object]
    ) -> None:
        """Subscribe until released; exceptions of the callback are logged."""
        subscription = self.create_subscription(msg_type, topic, self._guarded(callback), profile)
        self._releases.append(lambda: self.destroy_subscription(subscription))

    def add_service(
        self, srv_type: Any, name: str, handler: Callable[[Any, Any], Any], kept: int = KEPT
    ) -> None:
        """Serve until released: once per request number (`kept` of them), only while active."""
        service = self.create_service(
            srv_type,
            name,
            OnceService(self, handler, kept).answer,
            qos_profile=qos.SERVICE,
            callback_group=self._once_group,
        )
        self._releases.append(lambda: self.destroy_service(service))

    def add_action(
        self, action_type: Any, name: str, execute: Callable[[Any], Any], cancel: Callable[[], None]
    ) -> None:
        """Serve an action until released; `execute` is a coroutine function of a goal handle.

        Goals are accepted in every state: a refusal of `execute` carries its reason, the
        rejection of a goal would not.
        """

        def on_cancel(_: Any) -> CancelResponse:
            cancel()
            return CancelResponse.ACCEPT

        server = ActionServer(
            self,
            action_type,
            name,
            execute,
            callback_group=self._once_group,
            cancel_callback=on_cancel,
        )
        self._releases.append(server.destroy)

    def add_timer(self, period_s: float, callback: Callable[[], None]) -> None:
        """Call back periodically until released; exceptions are logged."""
        timer = self.create_timer(period_s, self._guarded(callback), clock=STEADY)
        self._releases.append(lambda: self.destroy_timer(timer))

    def soon(self, callback: Callable[[], None]) -> None:
        """Have the spinning thread call back, from any thread; nothing if none spins any more."""
        if self.executor is not None:
            with suppress(AttributeError):  # what rclpy raises once its executor is shut down
                self.executor.create_task(callback)

    def _guarded(self, callback: Callable[..., object]) -> Callable[..., None]:
        @wraps(callback)
        def guarded(*args: Any) -> None:
            try:
                callback(*args)
            except InvalidHandle:
                pass  # released meanwhile
            except Exception:
                self.get_logger().error(traceback.format_exc())

        return guarded
