/// The pending recipients of one page of a message, with the tokens of the moment of reading, in one block of memory.
package final class RecipientPage: Sendable {
    /// One recipient.
    package struct Recipient: Hashable, Sendable {
        /// Position in the page; what an outcome is recorded under.
        package var position: UInt16
        /// The device; nothing if the caller named a token that was not registered.
        package var device: DeviceID?
        /// Whether the device can be sent to; nothing if it is not registered (any more).
        package var state: DeviceState?
        /// Which APNs.
        package var environment: Environment
        /// What the token is good for.
        package var kind: TokenKind
        /// Server's time of the registration that the token was read from; zero if there is none.
        package var registeredAt: Timestamp
        fileprivate var tokenOffset: UInt32 = 0
        fileprivate var tokenBytes: UInt8 = 0

        /// Makes a recipient; its token is given to the builder.
        package init(
            position: UInt16,
            device: DeviceID?,
            state: DeviceState?,
            environment: Environment,
            kind: TokenKind,
            registeredAt: Timestamp = .zero
        ) {
            self.position = position
            self.device = device
            self.state = state
            self.environment = environment
            self.kind = kind
            self.registeredAt = registeredAt
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
        package mutating func append(_ recipient: Recipient, token: some Collection<UInt8>) {
            var recipient = recipient
            recipient.tokenOffset = UInt32(truncatingIfNeeded: tokens.count)
            recipient.tokenBytes = UInt8(truncatingIfNeeded: token.count)
            recipients.append(recipient)
            tokens.append(contentsOf: token)
        }

        /// The page of what was added.
        package consuming func page(_ number: UInt32, of message: MessageID) -> RecipientPage {
            RecipientPage(message: message, number: number, recipients: recipients, tokens: tokens)
        }
    }

    /// The message.
    package let message: MessageID
    /// The page's number.
    package let number: UInt32
    /// Ascending by position.
    package let recipients: [Recipient]
    private let tokens: [UInt8]

    private init(message: MessageID, number: UInt32, recipients: [Recipient], tokens: [UInt8]) {
        self.message = message
        self.number = number
        self.recipients = recipients
        self.tokens = tokens
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
