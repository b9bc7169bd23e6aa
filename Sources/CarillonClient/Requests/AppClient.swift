public import CarillonCore

/// The calls about one app, without naming it in each of them.
///
/// ```swift
/// let game = client.app("com.example.game")
/// let phone = try await game.register(address, topics: [TopicName("raids")!])
/// let message = try await game.send(.alert(title: "Raid", body: "21:00"), to: .topic("raids"))
/// print(try await game.waitUntilFinished(message.id).outcomes)
/// ```
///
/// Other calls have a parameter `app`: `game.client.outcomes(of: message.id, app: game.app)`.
public struct AppClient: Sendable {
    /// The client that makes the calls.
    public let client: CarillonClient
    /// The app that all calls of this value are about.
    public let app: AppID

    /// Registers a device, or refreshes its registration.
    public func register(
        _ address: DeviceAddress,
        replaces: DeviceToken? = nil,
        locale: String? = nil,
        timeZone: String? = nil,
        attributes: [AttributeChange] = [],
        topics: [TopicName] = [],
        groups: [GroupName] = []
    ) async throws(CarillonError) -> RegisteredDevice {
        try await client.register(
            Registration(
                app: app, address: address, replaces: replaces, locale: locale, timeZone: timeZone,
                attributes: attributes, topics: topics, groups: groups))
    }

    /// Sends a notification. It is durable when this returns, and its delivery begins then.
    ///
    /// - Parameters:
    ///   - except: a device of the audience that gets nothing.
    ///   - type: the push type.
    ///   - translations: alerts by language tag; a field that a translation leaves out is that of the notification.
    ///   - collapseID: APNs shows only the last notification of this id.
    ///   - expiration: until when APNs keeps the notification for a device that it does not reach.
    ///   - notAfter: after this time no attempt starts.
    ///   - sendAt: when sending starts; nil for now. The audience is resolved then.
    ///   - pace: the most deliveries a second; nil for no limit.
    ///   - idKey: a name under which the app gets the id of the message in its payload, to report receipts.
    ///   - label: a text for the list of messages and the server's log; devices do not get it.
    ///   - isDryRun: true to check everything and to count the audience; nothing is sent.
    ///   - key: the idempotency key: sending twice with the same key sends once.
    /// - Throws: `INVALID_ARGUMENT` with the field for a notification that cannot be a payload; else as
    ///   `CarillonClient.send(_:)`.
    @discardableResult
    public func send(
        _ notification: PushNotification,
        to audience: Audience,
        except: DeviceReference? = nil,
        type: PushType = .alert,
        translations: [String: PushNotification.Alert] = [:],
        collapseID: String? = nil,
        expiration: Expiration = .unspecified,
        notAfter: Timestamp? = nil,
        lane: Lane = .interactive,
        sendAt: Timestamp? = nil,
        pace: UInt32? = nil,
        label: String? = nil,
        idKey: String? = nil,
        isDryRun: Bool = false,
        key: IdempotencyKey = .random
    ) async throws(CarillonError) -> Acceptance {
        var content: MessageContent
        do throws(MessageFault) {
            content = try MessageContent(
                app: app, pushType: type, notification: notification, translations: translations,
                expiration: expiration, collapseID: collapseID)
        } catch {
            throw CarillonError(.invalidArgument, field: error.field, message: error.text)
        }
        content.idKey = idKey
        return try await client.send(
            Message(
                key: key.bytes, content: content, audience: audience, except: except, notAfter: notAfter, lane: lane,
                sendAt: sendAt, pace: pace, label: label, isDryRun: isDryRun),
            key: key)
    }

    /// Sends a JSON object that APNs is given byte for byte; as `send` of a notification otherwise.
    ///
    /// - Parameters:
    ///   - payload: the JSON text.
    ///   - bodies: payloads by language.
    @discardableResult
    public func send(
        payload: [UInt8],
        bodies: [LanguageBody] = [],
        to audience: Audience,
        except: DeviceReference? = nil,
        type: PushType = .alert,
        collapseID: String? = nil,
        expiration: Expiration = .unspecified,
        notAfter: Timestamp? = nil,
        lane: Lane = .interactive,
        sendAt: Timestamp? = nil,
        pace: UInt32? = nil,
        label: String? = nil,
        idKey: String? = nil,
        isDryRun: Bool = false,
        key: IdempotencyKey = .random
    ) async throws(CarillonError) -> Acceptance {
        let content = MessageContent(
            app: app, pushType: type, expiration: expiration, collapseID: collapseID, payload: payload,
            bodies: bodies, idKey: idKey)
        return try await client.send(
            Message(
                content: content, audience: audience, except: except, notAfter: notAfter, lane: lane,
                sendAt: sendAt, pace: pace, label: label, isDryRun: isDryRun),
            key: key)
    }

    /// Returns the state of a message and its counts by outcome.
    public func status(of message: MessageID) async throws(CarillonError) -> MessageStatus {
        try await client.status(of: message, app: app)
    }

    /// Waits until every device of a message has its outcome, as `CarillonClient.waitUntilFinished`.
    public func waitUntilFinished(
        _ message: MessageID, timeout: Duration = .seconds(60)
    ) async throws(CarillonError) -> MessageStatus {
        try await client.waitUntilFinished(message, app: app, timeout: timeout)
    }

    /// Cancels, pauses, resumes or paces a message, as `CarillonClient.updateMessage`.
    @discardableResult
    public func updateMessage(
        _ message: MessageID, _ messageUpdate: MessageUpdate
    ) async throws(CarillonError) -> MessageState {
        try await client.updateMessage(message, app: app, messageUpdate)
    }
}

extension CarillonClient {
    /// The calls about the app that the configuration names, for example by `CARILLON_APP`.
    ///
    /// - Throws: `INVALID_ARGUMENT` if it names none.
    public var defaultApp: AppClient {
        get throws(CarillonError) {
            guard let app = configuration.defaultApp else {
                throw CarillonError(.invalidArgument, field: "app", message: "there is no default app")
            }
            return self.app(app)
        }
    }

    /// The calls about an app.
    public func app(_ app: AppID) -> AppClient { AppClient(client: self, app: app) }

    /// The calls about an app whose bundle id is a constant of the program.
    ///
    /// - Precondition: `bundleID` is a bundle id. For one from elsewhere: `AppID(text)`, which may be nil.
    public func app(_ bundleID: StaticString) -> AppClient {
        guard let app = AppID(bundleID.description) else { preconditionFailure("\(bundleID) is no bundle id") }
        return self.app(app)
    }
}

extension PushNotification {
    /// A notification that is shown.
    public static func alert(
        title: Text? = nil,
        subtitle: Text? = nil,
        body: Text? = nil,
        badge: Int? = nil,
        sound: Sound? = nil,
        data: [String: JSONValue] = [:]
    ) -> PushNotification {
        PushNotification(
            alert: Alert(title: title, subtitle: subtitle, body: body), badge: badge, sound: sound, data: data)
    }
}

extension Audience {
    /// Every device of the app.
    public static var allDevices: Audience { .all }

    /// The devices that are subscribed to a topic whose name is a constant of the program.
    ///
    /// - Precondition: `name` is the name of a topic. For one from elsewhere: `TopicName(text)`, which may be nil.
    @_disfavoredOverload
    public static func topic(_ name: StaticString) -> Audience {
        guard let topic = TopicName(name.description) else { preconditionFailure("\(name) is no name of a topic") }
        return .topic(topic)
    }

    /// The devices of one group.
    public static func group(_ group: GroupName) -> Audience { .groups([group]) }

    /// The devices of one group whose name is a constant of the program.
    ///
    /// - Precondition: `name` is the name of a group. For one from elsewhere: `GroupName(text)`, which may be nil.
    @_disfavoredOverload
    public static func group(_ name: StaticString) -> Audience {
        guard let group = GroupName(name.description) else { preconditionFailure("\(name) is no name of a group") }
        return .groups([group])
    }

    /// The audience of one device, by its id.
    public static func device(_ device: DeviceID) -> Audience { .devices([.id(device)]) }
}
