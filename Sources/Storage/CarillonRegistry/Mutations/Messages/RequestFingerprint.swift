import CarillonCore

/// The fingerprint of a SEND or RESEND, which is stored beside its idempotency key: a repetition of the request has the
/// same fingerprint (Protocol 10.1).
///
/// It is a MurmurHash3, which is not a cryptographic hash. A client that makes two bodies with one fingerprint gains
/// nothing: it gets an earlier answer of its own app instead of a conflict.
struct RequestFingerprint: Hashable {
    /// The hash, as it is stored.
    let hash: UUIDBytes

    private static let timeBytes = 8
    private static let paceBytes = 4
    private static let lengthBytes = 1
    private static let messageIDBytes = 8
    private static let outcomeBytes = 1

    init(hash: UUIDBytes) {
        self.hash = hash
    }

    /// Computes the fingerprint of a message without its key. The devices count in the order and form in which the
    /// request names them.
    init(of message: Message) {
        let capacity =
            MessageTable.bodyBytes(message.content) + Self.timeBytes + Self.paceBytes + message.audience.storedBytes
            + (message.excludedDevice?.storedBytes ?? 0) + Self.lengthBytes + (message.label?.utf8.count ?? 0)
        let body = ByteWriter.bytes(capacity: capacity) { writer in
            MessageTable.appendBody(message.content, notAfter: message.notAfter, lane: message.lane, to: &writer)
            writer.append(message.sendAt ?? .zero)
            writer.append(message.pace ?? 0)
            message.audience.append(to: &writer)
            if let excluded = message.excludedDevice { excluded.append(to: &writer) }
            // Without a label the fingerprint is as it was before there were labels, so stored fingerprints stay valid.
            if let label = message.label { writer.append(text: label) }
        }
        hash = Murmur3State.hash(of: body)
    }

    /// Computes the fingerprint of a RESEND. It begins with an empty app name, which no message has.
    init(ofResending message: MessageID, outcomes: Set<Outcome>, notAfter: Timestamp?) {
        // The list of outcomes has one more if it ends with `pending`.
        let capacity =
            Self.lengthBytes + Self.messageIDBytes + (outcomes.count + 1) * Self.outcomeBytes + Self.timeBytes
        let body = ByteWriter.bytes(capacity: capacity) { writer in
            writer.append(UInt8(0))
            writer.append(message.rawValue)
            for outcome in outcomes.sorted() { writer.append(outcome.rawValue) }
            // A pending recipient is never sent to again. So its outcome, 0, can end the list.
            if let notAfter {
                writer.append(Outcome.pending.rawValue)
                writer.append(notAfter)
            }
        }
        hash = Murmur3State.hash(of: body)
    }
}
