"""CRLN/1 (CRLN is short for Carillon), for the tests of this repository: the codec of both sides, and a client.

The client for services is ../../clients/python. This one is for tests only: it encodes the server's messages too and
any values (`encode`, `decode`), knows the server's rules (`check_request`), and hides neither numbers nor retries from
a test. ../../vectors/generate.py writes the golden vectors with it, so it shares no line with the clients that the
vectors test. It is written from ../../Carillon-v1.md and ../../Registries.md alone, with the standard library
only. § in a comment means a section of these.

  names, errors, value_types, operations   the numbers, the types of values, the layouts of the messages
  payloads, frames                         the codec
  rules, push_content                      the rules by which a server judges a request
  endpoint, connection, event_stream       one connection
  caller, arguments, client                the client

The tests import the names of this file.
"""
from crln.arguments import browser_token, device_field, register_fields
from crln.client import Client
from crln.endpoint import Endpoint
from crln.errors import CarillonError, NotCarillon, ProtocolError
from crln.frames import HEADER, Frame, answer_preface, client_preface, decode, encode
from crln.names import (ACK, ANSWER, AUDIENCES, CONTROL, ERRORS, EVENT, KINDS, MAGIC, MESSAGE_STATES,
                        MESSAGE_UPDATE_ACTIONS, NEVER, NO_KEY, NOW, OLDEST, OUTCOMES, PUSH_TYPES, RECEIPTS, REQUEST,
                        SCOPES)
from crln.operations import (ATTRIBUTES, BODIES, BY_OPCODE, FROM_CLIENT, FROM_SERVER, GROUPS, LAYOUTS, OPCODES, PING,
                             Layout)
from crln.payloads import decode_payload, encode_payload, fields_from_json, fields_to_json
from crln.rules import AUDIENCE_FIELDS
from crln.value_types import BYTES, DEVICE, STR, TOKEN, TOPIC, U8, U16, U32, U64, UUID, ListOf, uvarint
