import CarillonCore

/// The name of one page of one message.
struct PageKey: Hashable, Comparable {
    var message: MessageID
    var page: UInt32

    static func < (left: PageKey, right: PageKey) -> Bool {
        (left.message, left.page) < (right.message, right.page)
    }
}
