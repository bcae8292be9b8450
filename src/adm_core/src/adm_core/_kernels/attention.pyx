# cython: language_level=3, boundscheck=False, wraparound=False
# cython: cdivision=True, initializedcheck=False
"""Scores and the best K of the memory's records. Private: call ``memory.top_k``."""

from libc.math cimport INFINITY, NAN, isfinite, sqrt, sqrt
from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from adm_core._kernels.arrays cimport column_of, out_of

from numpy import ndarray

cdef extern from "attention.h" nogil:
    enum: ADM_GROUP
    ctypedef struct adm_records:
        const double* weight
        const uint8_t* source
        const double* quality
        const double* stamp
        const double* distance
    ctypedef struct adm_limits:
        double now, decay_rate, near_rate
        int near
        double score, support
    ctypedef int64_t (*adm_scan_function)(
        const adm_records*, const adm_limits*, int64_t, int64_t, uint8_t*
    ) noexcept nogil
    adm_scan_function adm_choose_scan()

cdef enum:
    EXP = 0
    LINEAR = 1
    NONE = 2
    RATIONAL = 1
    SAMPLE_FROM = 4096   # number of records from which some are scored first
    SOURCES = 256
    FEW = 32             # results that need no memory of their own

cdef double LN2_HIGH = 6.93147180369123816490e-01   # the first 33 bits of ln 2
cdef double LN2_LOW = 1.90821492927058770002e-10
cdef double LOG2_E = 1.44269504088896338700e+00
cdef double ROUND = 6755399441055744.0              # 1.5 * 2**52: adding it rounds to an integer
cdef double LEAST = -708.0
cdef adm_scan_function scan_groups = adm_choose_scan()

cdef struct Entry:
    double score, stamp
    int64_t id, index

cdef struct Best:
    Entry* item
    Py_ssize_t size, room

cdef struct Job:
    adm_records records
    const uint8_t* mask      # NULL: all are candidates
    const uint8_t* pinned    # NULL: none is
    const int64_t* ids       # NULL: the index is the id
    Py_ssize_t size
    double now, support      # support: least w * q * decay
    bint want_pinned         # take the pinned records, or the others
    int64_t bad              # a record with an illegal value, or -1


cdef inline double power_of_two(int64_t n) noexcept nogil:
    cdef uint64_t bits = <uint64_t>(n + 1023) << 52
    cdef double value
    memcpy(&value, &bits, sizeof(double))
    return value


cdef inline double exponential(double x) noexcept nogil:
    """Return exp(x) for x <= 0 to about one unit in the last place, 0 below -708.

    The C library's own differs between machines; this one uses nothing but rounded sums and
    products in a fixed order, so scores and ties are the same everywhere.
    """
    cdef double n, r, r2, r4
    if x < LEAST:
        return 0.0
    n = (x * LOG2_E + ROUND) - ROUND
    r = (x - n * LN2_HIGH) - n * LN2_LOW
    r2 = r * r
    r4 = r2 * r2
    return power_of_two(<int64_t>n) * (
        ((1.0 + r) + r2 * (0.5 + r * (1.0 / 6.0)))
        + r4 * ((1.0 / 24.0 + r * (1.0 / 120.0)) + r2 * (1.0 / 720.0 + r * (1.0 / 5040.0)))
        + (r4 * r4) * (
            (1.0 / 40320.0 + r * (1.0 / 362880.0)) + r2 * (1.0 / 3628800.0 + r * (1.0 / 39916800.0))
            + r4 * (1.0 / 479001600.0 + r * (1.0 / 6227020800.0))
        )
    )


cdef class Form:
    """The shape of Eq. 5, read from the configuration once.

    Parameters
    ----------
    decay : int
        0 exp(-x), 1 max(0, 1 - x), 2 none; x = age * `decay_factor` / `decay_scale`.
    near : int
        0 exp(-y), 1 1 / (1 + y), 2 none; y = distance / `near_scale`.
    decay_scale, decay_factor, near_scale : float
        Positive.
    sums : tuple of 3 floats or None
        Shares of w * q, recency and proximity in the weighted sum; None for the product.
    """

    cdef:
        int decay, near
        double decay_scale, decay_factor, near_scale, of_quality, of_decay, of_near
        bint is_sum

    def __init__(
        self, int decay, double decay_scale, double decay_factor, int near, double near_scale, sums
    ):
        self.decay = decay
        self.decay_scale = decay_scale
        self.decay_factor = decay_factor
        self.near = near
        self.near_scale = near_scale
        self.is_sum = sums is not None
        if self.is_sum:
            self.of_quality, self.of_decay, self.of_near = sums

    def recency(self, double age):
        """Return the factor of age; negative ages count as none."""
        return recency(self, age if age > 0 else 0.0)


cdef inline double recency(Form form, double age) noexcept nogil:
    cdef double x = age / form.decay_scale * form.decay_factor
    if form.decay == EXP:
        return exponential(-x)
    if form.decay == LINEAR:
        return 1.0 - x if x < 1.0 else 0.0
    return 1.0


cdef inline double proximity(Form form, double distance) noexcept nogil:
    cdef double y = distance / form.near_scale
    if form.near == EXP:
        return exponential(-y)
    return 1.0 / (1.0 + y) if form.near == RATIONAL else 1.0


cdef inline bint before(const Entry* a, const Entry* b) noexcept nogil:
    """Order by falling score, then falling stamp, then rising id, then rising index."""
    if a.score != b.score:
        return a.score > b.score
    if a.stamp != b.stamp:
        return a.stamp > b.stamp
    return a.id < b.id or (a.id == b.id and a.index < b.index)


cdef void insert(Best* best, const Entry* entry) noexcept nogil:
    cdef Py_ssize_t at = best.size
    if best.room == 0:
        return
    if at == best.room:
        at -= 1
        if not before(entry, &best.item[at]):
            return
    else:
        best.size += 1
    while at > 0 and before(entry, &best.item[at - 1]):
        best.item[at] = best.item[at - 1]
        at -= 1
    best.item[at] = entry[0]


cdef inline void consider(Form form, Job* job, Best* best, Py_ssize_t i) noexcept nogil:
    """Score record `i` and keep it if it is a candidate and good enough."""
    cdef:
        Entry entry
        double w, q, d, support, near, fresh
    if job.mask != NULL and not job.mask[i]:
        return
    if (job.pinned != NULL and job.pinned[i] != 0) != job.want_pinned:
        return
    w = job.records.weight[i if job.records.source == NULL else job.records.source[i]]
    q = job.records.quality[i]
    d = job.records.distance[i]
    entry.stamp = job.records.stamp[i]
    if not (w >= 0 and q >= 0 and d >= 0 and isfinite(w) and isfinite(q)) or (
        entry.stamp != entry.stamp
    ):
        job.bad = i
        return
    fresh = recency(form, job.now - entry.stamp if job.now > entry.stamp else 0.0)
    support = w * q * fresh
    if support < job.support:
        return
    near = proximity(form, d)
    if form.is_sum:
        entry.score = form.of_quality * (w * q) + form.of_decay * fresh + form.of_near * near
    else:
        entry.score = support * near
    entry.id = i if job.ids == NULL else job.ids[i]
    entry.index = i
    insert(best, &entry)


cdef void scan(Form form, Job* job, Best* best, adm_limits* limit) noexcept nogil:
    """Consider every record that may enter `best`."""
    cdef:
        Py_ssize_t i = 0, k, step
        uint8_t lanes[8]
        double known = 0.0
    if best.room == 0:
        return
    if form.is_sum or job.want_pinned:   # the bound is one of the product
        for i in range(job.size):
            consider(form, job, best, i)
        return
    if job.size >= SAMPLE_FROM:
        # To know early what is hopeless. With s of them, about n K / s others will have to be
        # scored as well: the sum is least at s = sqrt(n K).
        step = <Py_ssize_t>sqrt(<double>job.size / best.room)
        while i < job.size:
            consider(form, job, best, i)
            i += step if step > 1 else 1
        # These K are met again below; what cannot reach the last of them is hopeless.
        known = best.item[best.size - 1].score if best.size == best.room else 0.0
        best.size = i = 0
    limit.support = job.support
    while True:
        limit.score = known
        if best.size == best.room and best.item[best.size - 1].score > known:
            limit.score = best.item[best.size - 1].score
        i = scan_groups(&job.records, limit, i, job.size, lanes)
        if i + ADM_GROUP > job.size:
            break
        for k in range(ADM_GROUP):
            if lanes[k]:
                consider(form, job, best, i + k)
        i += ADM_GROUP
    for k in range(i, job.size):
        consider(form, job, best, k)


cdef bint any_supported(Form form, Job* job, const Best* pins, double floor) noexcept nogil:
    """Tell whether a pinned record reaches the floor."""
    cdef:
        Py_ssize_t k, i
        double w
    for k in range(pins.size):
        i = pins.item[k].index
        w = job.records.weight[i if job.records.source == NULL else job.records.source[i]]
        if w * job.records.quality[i] * recency(
            form, job.now - pins.item[k].stamp if job.now > pins.item[k].stamp else 0.0
        ) >= floor:
            return True
    return False


cdef Py_ssize_t choose(
    Form form, Job* job, Entry* item, Py_ssize_t k, double floor
) noexcept nogil:
    """Fill `item` (room for 2 k) with the best k records and return their number."""
    cdef:
        Best pins = Best(item, 0, k), rest = Best(item + k, 0, 0)
        adm_limits limit
        Py_ssize_t i
    limit.now = job.now
    limit.decay_rate = 0.0 if form.decay == NONE else form.decay_factor / form.decay_scale
    limit.near_rate = 1.0 / form.near_scale
    limit.near = form.near  # numbered alike
    job.support = -INFINITY
    if job.pinned != NULL:
        job.want_pinned = True
        scan(form, job, &pins, &limit)
    rest.room = k - pins.size
    job.want_pinned = False
    job.support = floor
    scan(form, job, &rest, &limit)
    if rest.size == 0 and not any_supported(form, job, &pins, floor):
        job.support = -INFINITY
        scan(form, job, &rest, &limit)
    for i in range(rest.size):
        insert(&pins, &rest.item[i])
    return pins.size


cdef void* column(
    object array, const char* formats, int64_t itemsize, Py_ssize_t size
) except? NULL:
    """Return the items of an input, or NULL for None."""
    if array is None:
        return NULL
    if not isinstance(array, ndarray):
        raise ValueError("not an array")
    return column_of(array, formats, itemsize, size)


cdef const double* weights_of(
    object weight, bint tabled, Py_ssize_t size, double* table
) except? NULL:
    """Return the weights of the records, or of their sources: `table`, filled up with NaN."""
    cdef:
        Py_ssize_t known = len(weight) if tabled else size, k
        const double* given = <const double*>column(weight, b"d", 8, known)
    if not tabled:
        return given
    if known > SOURCES:
        raise ValueError("too many sources")
    for k in range(SOURCES):
        table[k] = given[k] if k < known else NAN
    return table


def select(
    Form form,
    weight,              # IN
    source,              # IN, or None
    quality,             # IN
    stamp,               # IN
    distance,            # IN
    mask,                # IN, or None
    pinned,              # IN, or None
    ids,                 # IN, or None
    double now,
    double floor,
    index,               # OUT
    score,               # OUT
):
    """Find the best records: pinned ones first, then others, in the order of their scores.

    Parameters
    ----------
    weight : float64[n], or float64[m], m <= 256, if `source` is given
    source : uint8[n] or None
        Entry of `weight` that belongs to a record.
    quality, stamp, distance : float64[n]
    mask, pinned : bool[n], uint8[n] or None
        Nonzero: the record is a candidate / is taken before all others.
    ids : int64[n] or None
    now : float
        Time at which ages are counted.
    floor : float
        Records with ``w * q * decay`` below it are used only if no candidate reaches it.
    index, score : int64[k], float64[k]
        Best first. Entries past the returned count are undefined.

    Returns
    -------
    int
        Number of records found, or -1 - i if record i holds an illegal value.

    Raises
    ------
    ValueError
        If an array has another type, length or layout; which one is for the caller to say.

    Notes
    -----
    One pass, two if no record reaches the floor. A record costs an exponential only if a
    bound without one cannot exclude it.
    """
    cdef:
        Job job
        Entry few[2 * FEW]
        Entry* item = few
        double table[SOURCES]
        Py_ssize_t size = len(quality), k = len(index), i, count
        int64_t* indices = <int64_t*>out_of(index, b"lq", 8, k)
        double* scores = <double*>out_of(score, b"d", 8, k)
    job.records.quality = <const double*>column(quality, b"d", 8, size)
    job.records.stamp = <const double*>column(stamp, b"d", 8, size)
    job.records.distance = <const double*>column(distance, b"d", 8, size)
    job.records.source = <const uint8_t*>column(source, b"B", 1, size)
    job.records.weight = weights_of(weight, source is not None, size, table)
    job.mask = <const uint8_t*>column(mask, b"?B", 1, size)
    job.pinned = <const uint8_t*>column(pinned, b"?B", 1, size)
    job.ids = <const int64_t*>column(ids, b"lq", 8, size)
    job.size = size
    job.now = now
    job.bad = -1
    if k > FEW:
        item = <Entry*>malloc(2 * k * sizeof(Entry))
        if item == NULL:
            raise MemoryError
    with nogil:
        count = choose(form, &job, item, k, floor)
        for i in range(count):
            indices[i] = item[i].index
            scores[i] = item[i].score
        if item != few:
            free(item)
    return count if job.bad < 0 else -1 - job.bad
