import CarillonCore
import CarillonWire

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
