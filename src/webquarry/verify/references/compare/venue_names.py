"""Names of venues that no rule leads from one to the other; repositories and series, which say
nothing about where a work appeared.

One line a venue: its names, folded (lower case, letters and blanks), divided by bars.
"""

from __future__ import annotations

_VENUES = """
neurips|nips|neural information processing systems|advances in neural information processing systems
icml|international conference on machine learning
iclr|international conference on learning representations
cvpr|computer vision and pattern recognition|conference on computer vision and pattern recognition
iccv|international conference on computer vision
eccv|european conference on computer vision
wacv|winter conference on applications of computer vision
bmvc|british machine vision conference
aaai|aaai conference on artificial intelligence|national conference on artificial intelligence
ijcai|international joint conference on artificial intelligence
acl|meeting of the association for computational linguistics
emnlp|empirical methods in natural language processing
naacl|naacl hlt|north american chapter of the association for computational linguistics
eacl|european chapter of the association for computational linguistics
aacl|asia pacific chapter of the association for computational linguistics
coling|international conference on computational linguistics
conll|computational natural language learning
findings of acl|findings of the association for computational linguistics
tacl|transactions of the association for computational linguistics|trans assoc comput linguistics
kdd|sigkdd|acm sigkdd|knowledge discovery and data mining
www|the web conference|web conference|international world wide web conference|thewebconf
sigir|research and development in information retrieval
cikm|conference on information and knowledge management
wsdm|web search and data mining
recsys|conference on recommender systems
chi|human factors in computing systems
uist|user interface software and technology
cscw|computer supported cooperative work
ccs|computer and communications security
sp|oakland|symposium on security and privacy
ndss|network and distributed system security
usenix security|usenix security symposium
jmlr|j mach learn res|journal of machine learning research
tmlr|trans mach learn res|transactions on machine learning research
mlj|mach learn|machine learning|machine learning journal
aistats|artificial intelligence and statistics
uai|uncertainty in artificial intelligence
colt|conference on learning theory|computational learning theory
alt|algorithmic learning theory
acml|asian conference on machine learning
ecml|ecml pkdd|european conference on machine learning
icdm|international conference on data mining
sdm|siam international conference on data mining
sosp|symposium on operating systems principles
osdi|operating systems design and implementation
nsdi|networked systems design and implementation
sigcomm|acm sigcomm
sigmod|management of data|international conference on management of data
vldb|pvldb|proc vldb endow|proceedings of the vldb endowment|very large data bases
icde|international conference on data engineering
pldi|programming language design and implementation
popl|principles of programming languages
oopsla|object oriented programming systems languages and applications
icse|international conference on software engineering
fse|esec fse|foundations of software engineering
ase|automated software engineering
isca|international symposium on computer architecture
micro|international symposium on microarchitecture
hpca|high performance computer architecture
asplos|architectural support for programming languages and operating systems
mlsys|sysml|machine learning and systems
stoc|symposium on theory of computing
focs|foundations of computer science
soda|symposium on discrete algorithms
itcs|innovations in theoretical computer science
icra|robotics and automation
iros|intelligent robots and systems
rss|robotics science and systems
corl|conference on robot learning
icassp|acoustics speech and signal processing
interspeech|annual conference of the international speech communication association
miccai|medical image computing and computer assisted intervention
soups|usable privacy and security
facct|fat|fairness accountability and transparency
aies|ai ethics and society
siggraph|acm siggraph
tog|acm trans graph|acm transactions on graphics
tpami|pami|ieee trans pattern anal mach intell|pattern analysis and machine intelligence
ijcv|int j comput vis|international journal of computer vision
tip|ieee trans image process|transactions on image processing
tnnls|ieee trans neural networks learn syst|transactions on neural networks and learning systems
tkde|ieee trans knowl data eng|transactions on knowledge and data engineering
jair|j artif intell res|journal of artificial intelligence research
aij|artif intell|artificial intelligence
pacmmod|proc acm manag data|proceedings of the acm on management of data
pnas|proc natl acad sci|proc natl acad sci u s a|proceedings of the national academy of sciences
nejm|n engl j med|new england journal of medicine
jama|journal of the american medical association
bmj|british medical journal
lancet|the lancet
prl|phys rev lett|physical review letters
jacs|j am chem soc|journal of the american chemical society
"""


def _read_names(table: str) -> dict[str, str]:
    aliases: dict[str, str] = {}
    for line in table.split("\n"):
        names = [name for name in line.split("|") if name]
        for name in names:
            aliases[name] = names[0]
    return aliases


ALIASES = _read_names(_VENUES)
REPOSITORIES = (
    "arxiv", "corr", "biorxiv", "medrxiv", "chemrxiv", "ssrn", "research square", "zenodo",
    "figshare", "hal", "osf preprints", "psyarxiv", "preprints org", "techrxiv", "eartharxiv",
    "cornell university", "openreview", "pubmed central", "dspace", "open access repository",
    "computing research repository", "preprint", "iacr cryptol eprint arch", "cryptology eprint",
)  # fmt: skip
SERIES = (
    "lecture notes in computer science", "lncs", "lecture notes in artificial intelligence",
    "lecture notes in", "proceedings of machine learning research", "pmlr", "jmlr workshop and",
    "communications in computer and information science", "ceur workshop proceedings", "lipics",
    "leibniz international proceedings in informatics", "acm international conference proceeding",
    "acm international conference proceeding series", "advances in intelligent systems and",
    "ifip advances", "studies in computational intelligence", "springer proceedings",
    "electronic proceedings in theoretical computer science", "procedia", "conference series",
    "proceedings of spie", "aip conference proceedings",
)  # fmt: skip
