# cython: language_level=3
"""An element -> the values of its attributes, read from libxml2's own nodes. `attributes.py` is the same in Python.

It is asked several times about every element that a person may not see, and takes a fraction of the time of
`element.get()`.
"""

from cpython.unicode cimport PyUnicode_AsUTF8, PyUnicode_DecodeUTF8
from libc.string cimport strcmp, strlen
from lxml.includes.etreepublic cimport _Element, attributeValue, import_lxml__etree
from lxml.includes.tree cimport XML_ELEMENT_NODE, XML_TEXT_NODE, xmlAttr, xmlNode

import_lxml__etree()


cdef read_attribute(_Element element, const char* name):
    """The value of an attribute, None where an element has none of this name."""
    cdef xmlNode* text
    cdef xmlAttr* attribute = NULL
    if element._c_node.type == XML_ELEMENT_NODE:
        attribute = element._c_node.properties
    while attribute is not NULL and (attribute.ns is not NULL or strcmp(<const char*>attribute.name, name) != 0):
        attribute = attribute.next
    if attribute is NULL:
        return None
    text = attribute.children
    if text is NULL:
        return ""
    if text.next is not NULL or text.type != XML_TEXT_NODE or text.content is NULL:
        return attributeValue(element._c_node, attribute)
    return PyUnicode_DecodeUTF8(<const char*>text.content, strlen(<const char*>text.content), NULL)


def find_value(_Element element not None, str name not None):
    """The value of an attribute, None where an element has none of this name, which has no namespace."""
    return read_attribute(element, PyUnicode_AsUTF8(name))


def read_names(_Element element not None):
    """Tag, class and id of an element; None for what it has none of."""
    return element.tag, read_attribute(element, "class"), read_attribute(element, "id")
