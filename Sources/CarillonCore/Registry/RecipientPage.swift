/// The pending recipients of one page of a message, with the tokens of the moment of reading, in one block of memory.
package final class RecipientPage: Sendable {
    /// One recipient.
    package struct Recipient: Hashable, Sendable {
        // In an order that leaves no gaps: there are hundreds of thousands of them in memory.
        /// The device; nil if the caller named a token that was not registered.
        package var device: DeviceID?
        /// Which APNs.
        package var environment: Environment
        /// The outcome that the device has without an attempt, if it must not be sent to.
        package var ending: Outcome?
        /// Which payload it gets: 0 = `MessageContent.payload`, n = `bodies[n − 1]`.
        package var body: UInt8
        /// Attempts that are charged to it already, as the last `OutcomeRecord.Delay` said.
        package var attempts: UInt8
        fileprivate var tokenBytes: UInt8 = 0
        /// Position in the page; what an outcome is recorded under.
        package var position: UInt16
        fileprivate var tokenOffset: UInt32 = 0
        /// Server's time of the registration that the token was read from; zero if there is none.
        package var registeredAt: Timestamp
        /// When the next attempt may start; zero = at once.
        package var dueAt: Timestamp

        /// Makes a recipient; its token is given to the builder.
        package init(
            position: UInt16,
            device: DeviceID?,
            environment: Environment,
            ending: Outcome? = nil,
            body: UInt8 = 0,
            registeredAt: Timestamp = .zero,
            attempts: UInt8 = 0,
            dueAt: Timestamp = .zero
        ) {
            self.position = position
            self.device = device
            self.environment = environment
            self.ending = ending
            self.body = body
            self.registeredAt = registeredAt
            self.attempts = attempts
            self.dueAt = dueAt
        }

        /// One that is not registered (any more).
        package static func unregistered(at position: UInt16, device: DeviceID?) -> Recipient {
            Recipient(position: position, device: device, environment: .production, ending: .unregistered)
        }
    }

    /// Collects recipients.
    package struct Builder {
        private var recipients: [Recipient] = []
        private var tokens: [UInt8] = []

        /// Makes an empty builder.
        package init(capacity: Int = 0) {
            recipients.reserveCapacity(capacity)
            tokens.reserveCapacity(capacity * 32)
        }

        /// Adds a recipient with its token: empty if it is not registered, at most `DeviceToken.byteLimit` bytes.
        package mutating func append(_ recipient: Recipient, token: UnsafeBufferPointer<UInt8>) {
            var recipient = recipient
            recipient.tokenOffset = UInt32(truncatingIfNeeded: tokens.count)
            recipient.tokenBytes = UInt8(truncatingIfNeeded: token.count)
            recipients.append(recipient)
            tokens.append(contentsOf: token)
        }

        /// Adds a recipient with its token.
        package mutating func append(_ recipient: Recipient, token: [UInt8]) {
            token.withUnsafeBufferPointer { append(recipient, token: $0) }
        }

        /// The page of what was added.
        ///
        /// - Parameters:
        ///   - addressed: whom the page addresses, if the audience is not a list.
        ///   - isLast: whether no page follows.
        package consuming func page(
            _ number: UInt32, of message: MessageID, addressed: AddressedChunk? = nil, isLast: Bool = false
        ) -> RecipientPage {
            RecipientPage(
                message: message, number: number, recipients: recipients, tokens: tokens, addressed: addressed,
                isLast: isLast)
        }
    }

    /// The message.
    package let message: MessageID
    /// The page's number.
    package let number: UInt32
    /// Ascending by position.
    package let recipients: [Recipient]
    /// Whom the page addresses, those with an outcome included, if the audience is not a list.
    package let addressed: AddressedChunk?
    /// Whether the reader knows that no page follows.
    package let isLast: Bool
    private let tokens: [UInt8]

    private init(
        message: MessageID, number: UInt32, recipients: [Recipient], tokens: [UInt8], addressed: AddressedChunk?,
        isLast: Bool
    ) {
        self.message = message
        self.number = number
        self.recipients = recipients
        self.tokens = tokens
        self.addressed = addressed
        self.isLast = isLast
    }

    /// The page with only some of its recipients, in memory of its own.
    ///
    /// - Parameter indices: of `recipients`, ascending.
    package func keeping(_ indices: some Collection<Int>) -> RecipientPage {
        var kept = Builder(capacity: indices.count)
        for index in indices { withToken(at: index) { kept.append(recipients[index], token: $0) } }
        return kept.page(number, of: message, addressed: addressed, isLast: isLast)
    }

    /// Gives `body` the raw token of `recipients[index]`; the bytes are valid only inside.
    @inline(__always)
    package func withToken<R>(at index: Int, _ body: (UnsafeBufferPointer<UInt8>) throws -> R) rethrows -> R {
        let recipient = recipients[index]
        let start = Int(recipient.tokenOffset)
        let end = start + Int(recipient.tokenBytes)
        return try tokens.withUnsafeBufferPointer { all in
            try body(UnsafeBufferPointer(rebasing: all[start..<end]))
        }
    }
}
