package import CarillonCore
package import CarillonWire

/// Translates requests between JSON and the protocol: from the name of a request and a body to the payload of a frame,
/// and back. The gateway has no sockets.
package struct Gateway: Sendable {
    /// The longest body of a request, in bytes. Tokens have twice their bytes in JSON.
    package static let maximumBodyBytes = 3 << 20

    package let table: LayoutTable

    /// A request that is ready to be sent.
    package struct PreparedRequest: Hashable, Sendable {
        package var name: String
        package var opcode: Opcode
        package var payload: [UInt8]
        /// The app that the request names; nil if it names none.
        package var app: String?
        /// True if the request changes nothing.
        package var isReadOnly: Bool
    }

    package init() { table = .builtIn }

    init(_ table: LayoutTable) { self.table = table }

    /// Prepares a request.
    ///
    /// - Parameters:
    ///   - name: as in the protocol: `message_status`.
    ///   - body: a JSON object with its fields. An empty body is an object without fields.
    ///   - key: the idempotency key, from a header of HTTP; nil if the request has none.
    ///   - traceParent: the value of the header `traceparent`; nil if the request has none. It is ignored if the body
    ///     has a `traceparent` too, or if the request has no such field.
    package func prepare(
        _ name: String, body: [UInt8], key: String? = nil, traceParent: String? = nil
    ) throws(GatewayError) -> PreparedRequest {
        guard let operation = table.operation(named: name), !operation.isOfConnection else {
            throw .notFound("there is no such request")
        }
        guard body.count <= Self.maximumBodyBytes else {
            var error = GatewayError(.frameTooLarge, message: "the body is too long")
            error.limit = UInt64(Self.maximumBodyBytes)
            throw error
        }
        var node = try Self.parse(body)
        if let key { node = try Self.adding(key, to: node, of: operation) }
        // As W3C Trace Context asks, a header that is not valid counts for nothing.
        if let trace = traceParent.flatMap({ TraceParent($0) }) { node = Self.adding(trace, to: node, of: operation) }
        let payload = try RequestEncoder.payload(of: operation.request, body: node, text: body, in: table)
        return PreparedRequest(
            name: name, opcode: operation.opcode, payload: payload, app: node["app"]?.text,
            isReadOnly: operation.isReadOnly
        )
    }

    /// Reads the text of a body.
    package static func parse(_ body: [UInt8]) throws(GatewayError) -> LocatedJSON {
        guard !body.isEmpty else { return LocatedJSON(.object([])) }
        do throws(JSONSyntaxError) {
            return try LocatedJSONParser.parse(body)
        } catch {
            throw .malformed("the body is not JSON: \(error.text), at byte \(error.offset + 1)")
        }
    }

    private static func adding(
        _ key: String, to node: LocatedJSON, of operation: LayoutTable.Operation
    ) throws(GatewayError) -> LocatedJSON {
        guard operation.request.fixed.contains(where: { $0.type == .uuid && $0.name == "key" }) else {
            throw .invalid("the request \(operation.name) has no idempotency key")
        }
        guard node["key"] == nil, let members = node.members else {
            throw .invalid("the idempotency key is given twice", field: "key")
        }
        let member = LocatedJSON.Member(name: "key", value: LocatedJSON(.string(key)))
        return LocatedJSON(.object(members + [member]), range: node.range)
    }

    private static func adding(
        _ trace: TraceParent, to node: LocatedJSON, of operation: LayoutTable.Operation
    ) -> LocatedJSON {
        let name = "traceparent"
        guard operation.request.tags.contains(where: { $0.field.name == name }), node[name] == nil,
            let members = node.members
        else { return node }
        let member = LocatedJSON.Member(name: name, value: LocatedJSON(.string(trace.description)))
        return LocatedJSON(.object(members + [member]), range: node.range)
    }

    /// Returns the answer to a request of that number, as a JSON object.
    package func answer(to opcode: Opcode, payload: [UInt8]) throws(GatewayError) -> [UInt8] {
        // Why try?: the error that is thrown says as much; the bytes are of this server.
        guard let operation = table.operations.first(where: { $0.opcode == opcode }),
            let json = try? AnswerDecoder.json(payload, as: operation.answer, in: table)
        else { throw GatewayError(.internal, message: "the answer cannot be read").with(effect: .executed) }
        return json
    }

    package func error(payload: [UInt8]) -> GatewayError {
        let unreadable = GatewayError(.internal, message: "the error cannot be read").with(effect: .unknown)
        // Why try?: the error that is returned says as much.
        guard let json = try? AnswerDecoder.json(payload, as: table.error, in: table),
            let node = try? LocatedJSONParser.parse(json),
            let code = node["code"]?.text ?? node["code"]?.wholeNumber.map({ "\($0)" })
        else { return unreadable }
        var error = GatewayError(named: code, message: node["message"]?.text ?? "")
        error.effect = Effect(word: node["effect"]?.text ?? "") ?? .unknown
        let retry = node["retry_after_ms"]?.wholeNumber ?? 0
        error.retryAfterMilliseconds = retry == UInt64(UInt32.max) ? nil : retry
        error.field = node["field"]?.text
        error.limit = node["limit"]?.wholeNumber
        error.item = node["item"]?.wholeNumber
        error.column = node["column"]?.wholeNumber
        error.reason = node["reason"]?.text
        return error
    }

    /// Returns an event as a JSON object; nil if it cannot be read.
    package func event(payload: [UInt8]) -> [UInt8]? {
        // Why try?: nil says that it cannot be read.
        try? AnswerDecoder.json(payload, as: table.event, in: table)
    }
}

/// Events as lines of JSON.
extension Gateway {
    /// The number of events that may be on their way to a reader.
    package static let eventCreditWindow: UInt64 = 64

    /// Prepares a subscription: `from`, `apps` and `kinds` of SUBSCRIBE_EVENTS. The reader keeps its place itself, so
    /// the subscription has no name; the gateway gives the credit. Without `from` the events begin now.
    package func prepareEvents(body: [UInt8]) throws(GatewayError) -> PreparedRequest {
        let node = try Self.parse(body)
        guard let operation = table.operation(named: "subscribe_events"), var members = node.members else {
            throw .malformed("the body must be an object")
        }
        if let refused = members.first(where: { $0.name == "name" || $0.name == "credit" }) {
            throw .invalid("events over HTTP have no \(refused.name)", field: refused.name)
        }
        members.append(Self.member("credit", number: Self.eventCreditWindow))
        if node["from"] == nil { members.append(Self.member("from", number: SubscribeEventsRequest.fromNow)) }
        let whole = LocatedJSON(.object(members), range: node.range)
        let payload = try RequestEncoder.payload(of: operation.request, body: whole, text: body, in: table)
        return PreparedRequest(
            name: operation.name, opcode: operation.opcode, payload: payload, app: nil, isReadOnly: true)
    }

    private static func member(_ name: String, number: UInt64) -> LocatedJSON.Member {
        LocatedJSON.Member(name: name, value: LocatedJSON(.number("\(number)")))
    }

    /// Returns the answer to AUTH as JSON: the principal and its grants.
    package func principalJSON(_ payload: [UInt8]) -> [UInt8] {
        // Why try?: the principal is only shown.
        guard let operation = table.operation(named: "auth"),
            let json = try? AnswerDecoder.json(payload, as: operation.answer, in: table)
        else { return Array("{}".utf8) }
        return json
    }
}

/// A position as the header `carillon-position` has it: its description.
extension ClusterPosition {
    /// The name of the header, in lower case.
    package static let headerName = "carillon-position"

    /// Returns the later of this position and the one that the client has seen, if both are of the same cluster; else
    /// this one. A client gives back the last header that it got, and must not fall behind what it has seen.
    package func raised(to seen: ClusterPosition?) -> ClusterPosition {
        guard let seen, seen.cluster == cluster, seen.number > number else { return self }
        return seen
    }

    package init(header value: String) throws(GatewayError) {
        guard let position = ClusterPosition(value) else {
            throw .invalid("the header carillon-position is not as an answer had it", field: Self.headerName)
        }
        self = position
    }
}
