package import CarillonCore

/// A decoded request in the form in which the server runs it.
///
/// The cases that come by the million are small, so that they move cheaply, and decoding them makes no existential: see
/// CarillonServer, *Speed*.
package enum ServerRequest: Hashable, Sendable {
    /// A LOOKUP or a MESSAGE_STATUS.
    case pointRead(PointRead, of: AppID)
    /// One change that sends no message: REGISTER, SUBSCRIBE, …
    case change(Change, of: AppID)
    /// A read of many rows.
    indirect case longRead(LongReadRequest)
    /// A STATISTICS: a long read, and not of the registry alone.
    case statistics(StatisticsRequest)
    /// A SEND with `dry_run`. It only counts its audience, so it is run as a long read.
    indirect case dryRun(Message)
    /// A request with a function of its own in the server's `RequestRunner`: SEND, UPDATE_MESSAGE, REGISTER_BATCH, …
    indirect case individual(IndividualRequest)
    /// A request that changes the state of the session: HELLO, AUTH, SUBSCRIBE_EVENTS, …
    indirect case session(SessionRequest)

    /// Reads the payload of a request; `bytes` are not kept.
    ///
    /// - Parameters:
    ///   - lastApp: the app of the client's last request, which saves making the same one again; then the app of this
    ///     one.
    ///   - now: when the request was read.
    package static func decode(
        _ bytes: UnsafeRawBufferPointer,
        of opcode: Opcode,
        lastApp: inout AppID?,
        now: Timestamp
    ) throws(WireError) -> (request: ServerRequest, common: CommonFields) {
        var reader = PayloadReader(bytes, lastApp: lastApp)
        defer { lastApp = reader.lastApp }
        var common = CommonFields()
        // The frequent operations do not use the table, so that the compiler sees their types and moves them.
        switch opcode {
        case .lookup, .messageStatus:
            let app = try reader.app()
            return (.pointRead(try PointRead(opcode, from: &reader, common: &common), of: app), common)
        case .register, .subscribe, .unsubscribe:
            let (change, app) = try frequentChange(opcode, from: &reader, common: &common, now: now)
            return (.change(change, of: app), common)
        default:
            guard let row = OperationTable.row(of: opcode) else {
                throw WireError(.unsupportedOpcode, text: "opcode \(opcode.rawValue) is not served")
            }
            return (try row.decode(&reader, &common, now), common)
        }
    }

    /// Reads the payload of a request that is one change and sends no message; returns nil if it is another. `bytes`
    /// are not kept.
    ///
    /// For changes that were read together: a payload of another kind is not looked at.
    package static func decodeChange(
        _ bytes: UnsafeRawBufferPointer,
        of opcode: Opcode,
        lastApp: inout AppID?,
        now: Timestamp
    ) throws(WireError) -> (change: Change, app: AppID, common: CommonFields)? {
        guard OperationTable.isUsuallyChange(opcode) else { return nil }
        var reader = PayloadReader(bytes, lastApp: lastApp)
        defer { lastApp = reader.lastApp }
        var common = CommonFields()
        switch opcode {
        case .register, .subscribe, .unsubscribe:
            let (change, app) = try frequentChange(opcode, from: &reader, common: &common, now: now)
            return (change, app, common)
        default:
            guard let row = OperationTable.row(of: opcode),
                case .change(let change, of: let app) = try row.decode(&reader, &common, now)
            else { return nil }
            return (change, app, common)
        }
    }

    private static func frequentChange(
        _ opcode: Opcode, from reader: inout PayloadReader, common: inout CommonFields, now: Timestamp
    ) throws(WireError) -> (change: Change, app: AppID) {
        // The app is copied first each time, so that the rest is moved.
        switch opcode {
        case .register:
            let registration = try Registration(from: &reader, common: &common)
            let app = registration.app
            return (.register(registration, now: now), app)
        default:
            let subscription = try TopicSubscription(from: &reader, common: &common)
            let app = subscription.app
            return (opcode == .subscribe ? .subscribe(subscription) : .unsubscribe(subscription), app)
        }
    }
}

/// A request that changes the state of the session: HELLO, AUTH, and the requests about subscriptions of events. The
/// session answers HELLO itself; for the others it returns a step, and the server answers.
package enum SessionRequest: Hashable, Sendable {
    case hello(HelloRequest)
    case authenticate(AuthenticateRequest)
    case subscribeEvents(SubscribeEventsRequest)
    case eventCredit(EventCreditRequest)
    case unsubscribeEvents(UnsubscribeEventsRequest)
}
