import CarillonCore

/// Events as lines of JSON, over a link.
extension Gateway {
    /// The opcode of SUBSCRIBE_EVENTS.
    package static let subscribeEvents: UInt16 = 0x60
    /// The opcode of EVENT_CREDIT.
    package static let eventCredit: UInt16 = 0x61
    /// The opcode of UNSUBSCRIBE_EVENTS.
    package static let unsubscribeEvents: UInt16 = 0x62
    /// The number of events that may be on their way to a reader.
    package static let eventCreditWindow: UInt64 = 64

    /// Prepares a subscription: `from`, `apps` and `kinds` of SUBSCRIBE_EVENTS. The reader keeps its place itself, so
    /// the subscription has no name; the gateway gives the credit. Without `from` the events begin now.
    package func prepareEvents(body: [UInt8]) throws(GatewayError) -> Prepared {
        let node = try Self.parse(body)
        guard let request = table.request(named: "subscribe_events"), var members = node.members else {
            throw .malformed("the body must be an object")
        }
        if let refused = members.first(where: { $0.name == "name" || $0.name == "credit" }) {
            throw .invalid("events over HTTP have no \(refused.name)", field: refused.name)
        }
        func number(_ name: String, _ value: UInt64) -> JSONNode.Member {
            JSONNode.Member(name: name, value: JSONNode(.number("\(value)")))
        }
        members.append(number("credit", Self.eventCreditWindow))
        if node["from"] == nil { members.append(number("from", .max)) }
        let whole = JSONNode(.object(members), range: node.range)
        let payload = try RequestEncoder.payload(of: request.request, whole, text: body, in: table)
        return Prepared(name: request.name, opcode: request.opcode, payload: payload, app: nil, isReadOnly: true)
    }

    /// Makes the payload of EVENT_CREDIT.
    ///
    /// - Parameters:
    ///   - credit: events that the server may send on the subscription in all.
    package func credit(_ credit: UInt64, subscription: UInt64) -> [UInt8] {
        [subscription, credit, 0].flatMap { value in
            (0..<8).map { UInt8(truncatingIfNeeded: value >> UInt64(56 - 8 * $0)) }
        }
    }

    /// Makes the payload of UNSUBSCRIBE_EVENTS.
    package func end(subscription: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: subscription >> UInt64(56 - 8 * $0)) }
    }

    /// Returns the answer to AUTH as JSON: the principal and its grants.
    package func principalJSON(_ payload: [UInt8]) -> [UInt8] {
        // Why try?: the principal is only shown.
        guard let request = table.request(named: "auth"),
            let json = try? AnswerDecoder.json(payload, as: request.answer, in: table)
        else { return Array("{}".utf8) }
        return json
    }
}
