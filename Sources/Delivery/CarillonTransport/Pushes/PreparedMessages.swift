import CarillonCore
import CarillonHTTP2
import CarillonProvider

/// The headers and bodies of the messages that a connection is sending, each made once.
struct PreparedMessages {
    /// A message in the form that HTTP/2 needs.
    struct Entry {
        var headers: PreparedHeaders
        var body: PreparedBody
        /// The authorization that `headers` contain.
        var generation: UInt64
        /// The time at which the prepared message must be made again; nil if it stays as it is.
        var renewAt: Uptime?
    }

    /// The most messages that are kept. A connection seldom sends more at a time, and preparing one again is cheap.
    private static let maximumEntries = 128

    /// A message in one of its languages.
    private struct Key: Hashable {
        var message: MessageID
        var payloadIndex: UInt8
    }

    private let adapter: any ProviderAdapter
    private let authority: String
    private var entries: [Key: Entry] = [:]

    /// Makes a store without messages.
    ///
    /// - Parameter authority: the `:authority` of the requests.
    init(adapter: any ProviderAdapter, authority: String) {
        self.adapter = adapter
        self.authority = authority
    }

    /// Returns the message with that authorization.
    ///
    /// - Parameters:
    ///   - payloadIndex: 0 for `MessageContent.payload`, n for `bodies[n − 1]`.
    ///   - authorization: nil on a connection with a certificate.
    mutating func findOrPrepare(
        _ message: OutboundMessage.Shared, payloadIndex: UInt8, authorization: RequestAuthorization?, at now: Moment
    ) throws(PushSubmitter.SubmitError) -> Entry {
        let generation = authorization?.generation ?? 0
        let key = Key(message: message.id, payloadIndex: payloadIndex)
        if let prepared = entries[key], prepared.generation == generation {
            guard let renewAt = prepared.renewAt, now.uptime >= renewAt else { return prepared }
        }
        if entries.count >= Self.maximumEntries { entries.removeAll(keepingCapacity: true) }
        let request: SharedRequest
        do throws(MessageError) {
            request = try adapter.request(for: message, payloadIndex: payloadIndex, at: now.wall)
        } catch {
            throw .message(error)
        }
        do throws(HTTP2Error) {
            let prepared = try prepare(request, authorization: authorization, at: now.uptime)
            entries[key] = prepared
            return prepared
        } catch {
            throw .http2(error)
        }
    }

    private func prepare(
        _ request: SharedRequest, authorization: RequestAuthorization?, at now: Uptime
    ) throws(HTTP2Error) -> Entry {
        var fields = request.headers.map { header in
            HeaderField(header.name, header.value, indexing: header.isIndexed ? .incremental : .never)
        }
        if let authorization {
            fields.append(
                HeaderField(
                    "authorization", authorization.value, indexing: authorization.isIndexed ? .incremental : .never))
        }
        return Entry(
            headers: try PreparedHeaders(authority: authority, fields: fields), body: PreparedBody(request.body),
            generation: authorization?.generation ?? 0,
            renewAt: request.maximumAgeMilliseconds.map { now.later(byMilliseconds: $0) })
    }
}
