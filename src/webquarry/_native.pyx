# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The extension module: text, nodes of libxml2, blocks of a page, the model of its main content, and selectors.

It imports nothing of webquarry, so that any module can import it. Its types for mypy are in `_native.pyi`.
"""

from collections import defaultdict
from sys import intern

from cython cimport final
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.mem cimport PyMem_Calloc, PyMem_Free, PyMem_Malloc, PyMem_Realloc
from cpython.unicode cimport (
    PyUnicode_AsUTF8AndSize, PyUnicode_DATA, PyUnicode_DecodeASCII, PyUnicode_DecodeUTF8, PyUnicode_KIND, PyUnicode_READ,
    Py_UNICODE_TOLOWER,
)
from libc.math cimport exp, log, sqrt
from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memchr, memcpy, memmove, memset, strcmp, strcspn, strlen
from lxml import etree
from lxml.includes.etreepublic cimport _Document, _Element, attributeValue, elementFactory, import_lxml__etree
from lxml.includes.tree cimport (
    XML_CDATA_SECTION_NODE, XML_ELEMENT_NODE, XML_TEXT_NODE, const_xmlChar, xmlAttr, xmlChar, xmlNode,
)

cdef extern from "Python.h":
    bint PyUnicode_IS_ASCII(object text)
    const char* PyUnicode_AsUTF8(object text) except NULL
    Py_UCS4 PyUnicode_MAX_CHAR_VALUE(object text)
    str PyUnicode_New(Py_ssize_t size, Py_UCS4 highest)

import_lxml__etree()

cdef unsigned char LOWER[256]  # ASCII letters in lower case
for byte in range(256):
    LOWER[byte] = byte + 32 if 65 <= byte <= 90 else byte

include "_read/native/text.pxi"
include "_read/native/tree.pxi"
include "_read/native/walk.pxi"
include "_read/native/features.pxi"
include "_read/native/model.pxi"
include "_read/native/match.pxi"
