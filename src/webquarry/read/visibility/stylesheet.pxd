cimport cython

from webquarry.read.css.nesting cimport RawRule
from webquarry.read.css.selectors.matching cimport SelectorContext
from webquarry.read.css.selectors.model cimport ElementNames
from webquarry.read.visibility.sheet.contenders cimport Contenders
from webquarry.read.visibility.sheet.hiding_words cimport find_hints
from webquarry.read.visibility.sheet.rule_judge cimport RuleJudge
from webquarry.read.visibility.sheet.rule_matcher cimport (
    ContendingRules,
    MergedRules,
    NamedElements,
    Rule,
    RuleMatcher,
    merge_rules,
)

cdef class Stylesheet:
    cdef public set seen
    cdef set _revealed
    cdef set _shown_by_width
    cdef public Py_ssize_t undecided
    cdef public bint blind_to_background
    cdef public bint has_parts
    cdef public set keys
    cdef public frozenset attributes
    cdef SelectorContext _context
    cdef object _selectors
    cdef list _rules
    cdef set _unknown
    cdef bint _colours
    cdef object _only
    cdef object _known
    cdef object _texts
    cdef unsigned int _hints
    cdef object _variables
    cdef set _read
    cdef bint _unread
    cdef Contenders _contenders
    cdef bint _is_asked
    cdef dict _contending
    cdef RuleMatcher _hiding
    cdef dict _alone
    cdef set _suspicious
    cdef dict _named
    cdef dict _contended
    cdef dict _put_over
    cdef dict _own
    cdef RuleJudge _judge

    @cython.locals(
        bodies=list, hints=list, wanted="unsigned int", may_hide="unsigned int", hint="unsigned int", body=str, raw=RawRule, number=Py_ssize_t,
    )
    cdef _read_hiding_rules(self)
    cdef bint _passes_over(self, RawRule raw, str body) except -1
    cdef _read_parts(self, list bodies)
    @cython.locals(keys=set, rule=Rule)
    cdef set _find_gate_keys(self)
    @cython.locals(rules=list, texts=list, needed=list, is_decided=bint, is_sure=bint, sets_background=bint, body=str)
    cdef bint _add_rule(self, rule, list contending=*, str key=*) except -1
    cdef list _find_needed(self, list texts, str key, bint counts_for_all)
    cdef _note_states(self, list selectors, bint sets_background)
    cdef bint _concerns(self, str selector) except -1
    @cython.locals(named=NamedElements, merged=MergedRules, has_own=bint, contends=bint)
    cpdef dict style_of(self, element, tuple own)
    @cython.locals(names=ElementNames, named=NamedElements)
    cdef NamedElements _find_named(self, element)
    @cython.locals(known=tuple)
    cdef bint _is_own_suspicious(self, tuple own) except -1
    @cython.locals(known=tuple, style=dict)
    cdef dict _add_own(self, MergedRules merged, tuple own)
    @cython.locals(alone=MergedRules, contending=ContendingRules, found=list, merged=MergedRules, place=Py_ssize_t, matcher=RuleMatcher, others=list)
    cdef MergedRules _find_merged(self, element, NamedElements named, bits, bint contends)
    @cython.locals(contending=ContendingRules)
    cdef ContendingRules _find_group(self, list matchers)
    @cython.locals(matcher=RuleMatcher, matchers=list)
    cdef list _list_matchers(self, keys)
