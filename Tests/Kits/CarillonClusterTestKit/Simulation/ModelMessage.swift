import CarillonCore

/// The outcome of a recipient of the model.
enum ModelOutcome: UInt8, Hashable, Sendable {
    case pending
    case delivered
    /// The device is no longer registered.
    case tokenDead
    case cancelled
}

/// A message of the model.
struct ModelMessage: Hashable, Sendable {
    /// The form in which the message was sent.
    struct Form: Hashable, Sendable {
        var pages: UInt32
        var isInteractive: Bool
        var hasPace: Bool
        var isSilent: Bool

        /// True if several members send the message.
        var isShared: Bool { !isInteractive && !hasPace && !isSilent && pages > 1 }
    }

    static let recipientsPerPage: UInt32 = 3

    let form: Form
    /// The outcome of each recipient.
    var outcomes: [ModelOutcome]
    var isCancelled = false
    var isFinished = false

    init(_ form: Form) {
        self.form = form
        outcomes = Array(repeating: .pending, count: Int(form.pages * Self.recipientsPerPage))
    }

    /// Returns the indices of the recipients of a page.
    static func indices(of page: UInt32) -> Range<Int> { indices(of: PageBlock(first: page, count: 1)) }

    /// Returns the indices of the recipients of pages.
    static func indices(of pages: PageBlock) -> Range<Int> {
        Int(pages.first * recipientsPerPage)..<Int(UInt32(pages.end) * recipientsPerPage)
    }

    /// Returns the page of the recipient with an index, and its position there.
    static func page(of index: Int) -> (page: UInt32, position: UInt8) {
        (UInt32(index) / recipientsPerPage, UInt8(UInt32(index) % recipientsPerPage))
    }

    /// Returns true if no recipient of the pages is pending.
    func hasEnded(_ pages: PageBlock) -> Bool { !outcomes[Self.indices(of: pages)].contains(.pending) }
}
