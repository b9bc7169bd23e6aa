import CarillonAPNs
import CarillonCore
import CarillonHTTP2

/// The headers and bodies of the messages that a connection is sending, each made once.
struct PreparedMessages {
    /// A message in the form that HTTP/2 needs.
    struct Prepared {
        var headers: PreparedHeaders
        var body: PreparedBody
        /// The provider token that `headers` contain.
        var generation: UInt64
    }

    /// Messages kept. A connection seldom sends more at a time, and preparing one again is cheap.
    private static let limit = 128

    /// A message in one of its languages.
    private struct Key: Hashable {
        var message: MessageID
        var body: UInt8
    }

    private var known: [Key: Prepared] = [:]

    /// Returns the message with that provider token.
    ///
    /// - Parameters:
    ///   - body: which payload, as in `RecipientPage.Recipient.body`.
    ///   - token: nil on a connection with a certificate.
    mutating func prepared(
        _ message: OutboundMessage,
        body: UInt8,
        upstream: Upstream,
        token: ProviderTokenSource.Token?
    ) throws(HTTP2Error) -> Prepared {
        let generation = token?.generation ?? 0
        let key = Key(message: message.id, body: body)
        if let prepared = known[key], prepared.generation == generation { return prepared }
        if known.count >= Self.limit { known.removeAll(keepingCapacity: true) }
        let request = PushRequest(
            message.content, body: key.body, message: message.id, managementTopic: upstream.managementTopic)
        var fields = request.headers.map { header in
            HeaderField(header.name, header.value, indexing: header.isIndexed ? .incremental : .never)
        }
        if let token { fields.append(HeaderField("authorization", "bearer " + token.text, indexing: .never)) }
        let prepared = Prepared(
            headers: try PreparedHeaders(authority: upstream.serverName, fields: fields),
            body: known[key]?.body ?? PreparedBody(request.payload),
            generation: generation
        )
        known[key] = prepared
        return prepared
    }
}
