/// The pending recipients of one page of a message, with their tokens at the time of reading, in one block of memory.
package final class RecipientPage: Sendable {
    /// A recipient, with the place of its token in the memory of the page.
    package struct Recipient: Hashable, Sendable {
        // The fields are in an order without padding: there are hundreds of thousands of recipients in memory.
        /// The device; nil if the caller named a token that was not registered.
        package var device: DeviceID?
        /// The environment of APNs; production if the provider is another.
        package var environment: APNsEnvironment
        /// The outcome that the recipient has without an attempt; nil if a push is to be sent to it.
        package var finalOutcome: Outcome?
        /// The index of the recipient's payload: 0 = `MessageContent.payload`, n = `bodies[n − 1]`.
        package var payloadIndex: UInt8
        /// The attempts that are counted already, from the last `OutcomeRecord.Delay`.
        package var attempts: UInt8
        fileprivate var tokenBytes: UInt8 = 0
        /// The position in the page, under which the outcome is recorded.
        package var position: UInt16
        fileprivate var tokenOffset: UInt32 = 0
        package var kind: TokenKind
        /// The server's time of the registration from which the token was read; zero if the recipient is not
        /// registered.
        package var registeredAt: Timestamp
        /// The time at which the next attempt may start; zero for at once.
        package var dueAt: Timestamp

        /// Makes a recipient; the builder gets its token.
        package init(
            position: UInt16,
            device: DeviceID?,
            kind: TokenKind = .device,
            environment: APNsEnvironment,
            finalOutcome: Outcome? = nil,
            payloadIndex: UInt8 = 0,
            registeredAt: Timestamp = .zero,
            attempts: UInt8 = 0,
            dueAt: Timestamp = .zero
        ) {
            self.position = position
            self.device = device
            self.kind = kind
            self.environment = environment
            self.finalOutcome = finalOutcome
            self.payloadIndex = payloadIndex
            self.registeredAt = registeredAt
            self.attempts = attempts
            self.dueAt = dueAt
        }

        @inline(__always)
        package var destination: PushDestination { PushDestination(kind, in: environment) }

        /// Makes a recipient that is not registered, or no longer.
        package static func unregistered(at position: UInt16, device: DeviceID?) -> Recipient {
            Recipient(position: position, device: device, environment: .production, finalOutcome: .unregistered)
        }
    }

    /// A builder that collects recipients.
    package struct Builder {
        private var recipients: [Recipient] = []
        private var tokens: [UInt8] = []

        /// Makes an empty builder with room for `capacity` recipients whose tokens have 32 bytes; it grows if need be.
        package init(capacity: Int = 0) {
            recipients.reserveCapacity(capacity)
            tokens.reserveCapacity(capacity * 32)
        }

        /// Adds a recipient with its token: at most `DeviceToken.maximumBytes` bytes, empty if the device is not
        /// registered.
        package mutating func append(_ recipient: Recipient, token: UnsafeBufferPointer<UInt8>) {
            var recipient = recipient
            recipient.tokenOffset = UInt32(truncatingIfNeeded: tokens.count)
            recipient.tokenBytes = UInt8(truncatingIfNeeded: token.count)
            recipients.append(recipient)
            tokens.append(contentsOf: token)
            if recipient.kind == .web { tokens.append(contentsOf: repeatElement(0, count: lengthBytes)) }
        }

        package mutating func append(_ recipient: Recipient, token: [UInt8]) {
            token.withUnsafeBufferPointer { append(recipient, token: $0) }
        }

        /// Adds a recipient of kind `web` with its token and its push subscription in its stored form; empty if the
        /// recipient has none.
        package mutating func append(
            _ recipient: Recipient, token: UnsafeBufferPointer<UInt8>, subscription: UnsafeBufferPointer<UInt8>
        ) {
            append(recipient, token: token)
            // Behind the token, with its length in two bytes: only browsers have one, and recipients do not grow.
            tokens[tokens.count - lengthBytes] = UInt8(truncatingIfNeeded: subscription.count >> 8)
            tokens[tokens.count - lengthBytes + 1] = UInt8(truncatingIfNeeded: subscription.count)
            tokens.append(contentsOf: subscription)
        }

        /// Makes the page of the recipients that were added.
        ///
        /// - Parameters:
        ///   - addressed: the recipients of the page; nil if the audience is a list.
        ///   - isLast: true if no page follows.
        package consuming func page(
            _ number: UInt32, of message: MessageID, addressed: AddressedChunk? = nil, isLast: Bool = false
        ) -> RecipientPage {
            RecipientPage(
                message: message, number: number, recipients: recipients, tokens: tokens, addressed: addressed,
                isLast: isLast)
        }
    }

    package let message: MessageID
    package let number: UInt32
    /// The recipients, ascending by position.
    package let recipients: [Recipient]
    /// The recipients of the page, also recipients with an outcome; nil if the audience is a list.
    package let addressed: AddressedChunk?
    /// True if it is known that no page follows.
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

    /// Returns a copy of the page with only some of its recipients, in its own memory.
    ///
    /// - Parameter indices: indices of `recipients`, ascending.
    package func keeping(_ indices: some Collection<Int>) -> RecipientPage {
        var kept = Builder(capacity: indices.count)
        for index in indices {
            withToken(at: index) { token in
                guard recipients[index].kind == .web else { return kept.append(recipients[index], token: token) }
                withSubscription(at: index) { kept.append(recipients[index], token: token, subscription: $0) }
            }
        }
        return kept.page(number, of: message, addressed: addressed, isLast: isLast)
    }

    /// Calls `body` with the raw token of `recipients[index]`; the bytes are valid only during the call.
    @inline(__always)
    package func withToken<R>(at index: Int, _ body: (UnsafeBufferPointer<UInt8>) throws -> R) rethrows -> R {
        let recipient = recipients[index]
        let start = Int(recipient.tokenOffset)
        let end = start + Int(recipient.tokenBytes)
        return try tokens.withUnsafeBufferPointer { all in
            try body(UnsafeBufferPointer(rebasing: all[start..<end]))
        }
    }

    /// Calls `body` with the push subscription of `recipients[index]` in its stored form, empty if it has none; the
    /// bytes are valid only during the call.
    package func withSubscription<R>(
        at index: Int, _ body: (UnsafeBufferPointer<UInt8>) throws -> R
    ) rethrows -> R {
        let recipient = recipients[index]
        guard recipient.kind == .web else { return try body(UnsafeBufferPointer(start: nil, count: 0)) }
        let start = Int(recipient.tokenOffset) + Int(recipient.tokenBytes)
        return try tokens.withUnsafeBufferPointer { all in
            let count = Int(all[start]) << 8 | Int(all[start + 1])
            let first = start + lengthBytes
            return try body(UnsafeBufferPointer(rebasing: all[first..<first + count]))
        }
    }
}

/// The number of bytes of the length of a subscription.
private let lengthBytes = 2
