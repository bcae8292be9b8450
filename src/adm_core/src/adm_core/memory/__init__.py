"""What the robot knows: records, evidence, retrieval and the audit log."""

from adm_core.memory.attention import AttentionConfig as AttentionConfig
from adm_core.memory.attention import TopK as TopK
from adm_core.memory.attention import top_k as top_k
