# Source me (bash, zsh or sh): a shell in which rclpy, our packages and `adm` work.
#
#   . scripts/env.sh          sh cannot tell where a sourced file lies: there, from the repository
#
# Leaves ROS_DOMAIN_ID alone. Discovery stays on this machine unless you have chosen otherwise.
# shellcheck shell=sh

if [ -n "${BASH_VERSION:-}" ]; then
    eval '_adm_file=${BASH_SOURCE[0]}'
    _adm_shell=bash
elif [ -n "${ZSH_VERSION:-}" ]; then
    eval '_adm_file=${(%):-%x}'
    _adm_shell=zsh
else
    _adm_file=scripts/env.sh
    _adm_shell=sh
fi
_adm_root=$(CDPATH= cd -- "$(dirname -- "$_adm_file")/.." && pwd -P)
_adm_venv=$_adm_root/.venv

_adm_prepend() { # VARIABLE FOLDER: once, in front
    eval "_adm_old=\${$1:-}"
    case ":$_adm_old:" in
        *":$2:"*) ;;
        *) eval "export $1=\"\$2\${_adm_old:+:\$_adm_old}\"" ;;
    esac
}

# Fast DDS and rcl lie in the environment, their own libraries in ros_*.libs of site-packages. The
# guard spares every start of Python the second start by which the wheels set this path themselves.
_adm_use_wheels() {
    for _adm_libs in "$_adm_venv"/lib/python3.*/site-packages/ros_*.libs "$_adm_venv/lib"; do
        [ ! -d "$_adm_libs" ] || _adm_prepend LD_LIBRARY_PATH "$_adm_libs"
    done
    export _ROS_WHEELS_BOOTSTRAP_COMPLETE=1
    _adm_prepend AMENT_PREFIX_PATH "$_adm_venv"
    _adm_prepend CMAKE_PREFIX_PATH "$_adm_venv"
    export RMW_IMPLEMENTATION=rmw_fastrtps_cpp
}

_adm_keep_discovery_local() {
    [ -z "${ROS_AUTOMATIC_DISCOVERY_RANGE:-}${ROS_LOCALHOST_ONLY:-}${ROS_STATIC_PEERS:-}" ] || return 0
    [ -z "${ROS_DISCOVERY_SERVER:-}${FASTRTPS_DEFAULT_PROFILES_FILE:-}${CYCLONEDDS_URI:-}" ] || return 0
    if [ "${ROS_DISTRO:-}" = humble ]; then
        export ROS_LOCALHOST_ONLY=1
    else
        export ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST
    fi
}

case $- in *u*) _adm_nounset=yes && set +u ;; *) _adm_nounset= ;; esac # colcon's files need it off
if [ -e "$_adm_venv/adm-identity" ] && [ -e "$_adm_root/install/local_setup.$_adm_shell" ]; then
    export VIRTUAL_ENV="$_adm_venv"
    if grep -q '| wheels |' "$_adm_venv/adm-identity"; then
        _adm_use_wheels
        . "$_adm_root/install/local_setup.$_adm_shell"
    else
        . "$_adm_root/install/setup.$_adm_shell" # brings the distribution, too
    fi
    _adm_prepend PATH "$_adm_venv/bin"
    _adm_keep_discovery_local
    _adm_status=0
else
    echo "env.sh: the workspace at $_adm_root is not built: run 'make setup'" >&2
    _adm_status=1
fi
[ -z "$_adm_nounset" ] || set -u
unset -f _adm_prepend _adm_use_wheels _adm_keep_discovery_local
unset _adm_file _adm_shell _adm_root _adm_venv _adm_old _adm_libs _adm_nounset
eval "unset _adm_status; return $_adm_status"
