// The types of the calls: apps, devices, audiences, messages, outcomes, events. One import is enough for them and for
// their members, which type aliases would not show. CarillonCore has no other content that a client could meet.
@_exported public import CarillonCore
