"""Report of ``adm graph`` as text and JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np

from adm_core.grid.floorplans.plan import LabelledMap
from adm_core.grid.values import explain_values
from adm_core.rooms.area_graph import AreaGraph, AreaNode
from adm_core.search.assignment_schema import INSTRUCTIONS
from adm_core.search.query import SearchQuery
from adm_core.search.strategy import TeamView


@dataclass(frozen=True)
class Shown:
    """Everything that the report and the picture show."""

    plan: LabelledMap
    view: TeamView
    graph: AreaGraph
    query: SearchQuery
    notes: tuple[str, ...] = ()

    @property
    def known_share(self) -> float:
        """Share of the plan's free cells that the team knows."""
        free = np.count_nonzero(self.plan.grid_map.data == 0)
        return float(np.count_nonzero(self.view.map.grid == 0) / free) if free else 0.0

    def room_name(self, label: int) -> str:
        """Return the plan's own name of most of a room's cells; empty if it has none."""
        if self.plan.rooms is None:
            return ""
        found = self.plan.rooms.data[self.labels == label]
        counts = np.bincount(found)
        return self.plan.rooms.names.get(int(np.argmax(counts)), "") if found.size else ""

    @property
    def labels(self) -> Any:
        """Label of each cell, int32[rows, cols]."""
        shape = self.view.map.shape
        cells = np.arange(shape[0] * shape[1])
        return self.graph.rooms.labels_at(cells).reshape(shape)


def as_text(shown: Shown) -> str:
    """Return the report for people."""
    graph, view = shown.graph, shown.view
    rows, cols = view.map.shape
    clusters = graph.clusters
    lines = [
        shown.plan.source,
        f"  map        {cols} x {rows} cells of {view.map.resolution_m:g} m, "
        f"{100 * shown.known_share:.0f} % of the free cells known",
        f"  rooms      {len(graph.rooms)}, {len(graph.nodes)} with a frontier, "
        f"{len(graph.rooms.edges)} edges",
        f"  frontier   {len(clusters.cells)} cells in {len(clusters.sizes)} clusters",
        f"  robots     {_robots(shown)}",
        *(f"  note       {note}" for note in shown.notes),
    ]
    lines += _table(shown) if graph.nodes else [_why_nothing(shown)]
    lines += ["", *_query(shown)]
    return "\n".join(lines)


def _robots(shown: Shown) -> str:
    ids = shown.graph.room_ids
    places = [
        f"{robot.id} in room {ids[label - 1]}" if label else f"{robot.id} outside"
        for robot, label in zip(shown.view.robots, shown.graph.robot_room.tolist(), strict=True)
    ]
    return ", ".join(places)


def _table(shown: Shown) -> list[str]:
    head = (
        "room",
        "type",
        "m2",
        "frontiers (cells)",
        "next to",
        "through others to",
        "on the plan",
    )
    rows = [head, *(_row(shown, node) for node in shown.graph.nodes)]
    if shown.plan.rooms is None:  # the plan has no names of its own
        rows = [row[:-1] for row in rows]
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    aligned = (
        "  "
        + "  ".join(part.ljust(width) for part, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )
    return ["", *aligned]


def _row(shown: Shown, node: AreaNode) -> tuple[str, ...]:
    ids, sizes = shown.graph.room_ids, shown.graph.clusters.sizes
    return (
        str(node.room_id),
        node.name,
        f"{node.area * shown.view.map.resolution_m**2:.1f}",
        ", ".join(str(sizes[cluster]) for cluster in node.clusters),
        ", ".join(str(ids[label - 1]) for label in node.neighbours) or "-",
        ", ".join(str(ids[label - 1]) for label, _ in node.via) or "-",
        shown.room_name(node.label) or "-",
    )


def _why_nothing(shown: Shown) -> str:
    grid = shown.view.map.grid
    return (
        f"\n  no frontier: no free cell has an unknown one beside it; {explain_values(grid)}. "
        "A complete map has none: --explored 0.5 shows it half explored"
    )


def _query(shown: Shown) -> list[str]:
    query = shown.query
    left = f", {query.omitted} rooms left out" if query.omitted else ""
    return [
        f"query: about {query.tokens} tokens with its instructions{left}",
        "",
        INSTRUCTIONS,
        "",
        query.text,
    ]


def as_json(shown: Shown) -> str:
    """Return the report for programs; cells are (row, col), places metres."""
    graph, view = shown.graph, shown.view
    report: dict[str, Any] = {
        "map": shown.plan.source,
        "rows": view.map.shape[0],
        "cols": view.map.shape[1],
        "resolution_m": view.map.resolution_m,
        "origin": list(view.map.origin),
        "known_share": round(shown.known_share, 6),
        "rooms": len(graph.rooms),
        "frontier_cells": len(graph.clusters.cells),
        "task": {
            "text": view.task.text,
            "object": view.task.object,
            "room_type": view.task.room_type,
        },
        "robots": [
            {"id": robot.id, "cell": list(robot.cell), "room": _room_id(shown, label)}
            for robot, label in zip(view.robots, graph.robot_room.tolist(), strict=True)
        ],
        "nodes": [_node(shown, node) for node in graph.nodes],
        "edges": [
            [int(graph.room_ids[k - 1]) for k in edge] for edge in graph.rooms.edges.tolist()
        ],
        "query": {
            "tokens": shown.query.tokens,
            "rooms": list(shown.query.rooms),
            "omitted": shown.query.omitted,
            "instructions": INSTRUCTIONS,
            "text": shown.query.text,
        },
        "notes": list(shown.notes),
    }
    return json.dumps(report, indent=2)


def _room_id(shown: Shown, label: int) -> int | None:
    return int(shown.graph.room_ids[label - 1]) if label else None


def _node(shown: Shown, node: AreaNode) -> dict[str, Any]:
    clusters, cols = shown.graph.clusters, shown.view.map.shape[1]
    return {
        "room_id": node.room_id,
        "type": node.name,
        "plan_room": shown.room_name(node.label),
        "area_m2": round(node.area * shown.view.map.resolution_m**2, 6),
        "clusters": [
            {
                "cells": int(clusters.sizes[k]),
                "representative": list(divmod(int(clusters.representatives[k]), cols)),
            }
            for k in node.clusters
        ],
        "robots": list(node.robots),
        "neighbours": [_room_id(shown, label) for label in node.neighbours],
        "via": [
            {"room": _room_id(shown, label), "through": [_room_id(shown, k) for k in way]}
            for label, way in node.via
        ],
    }
