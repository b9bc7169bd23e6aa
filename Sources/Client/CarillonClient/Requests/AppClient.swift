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
/// To get a single page of a listing, call `client`: `game.client.outcomes(of: message.id, app: game.app, from: nil)`.
public struct AppClient: Sendable {
    /// The client that makes the calls.
    public let client: CarillonClient
    /// The app that all calls of this value are about.
    public let app: AppID

    /// Registers a device, or refreshes its registration. Fields that you leave out keep their stored values.
    ///
    /// ```swift
    /// let phone = try await game.register(
    ///     DeviceAddress(environment: .production, kind: .device, token: token),
    ///     locale: "de-AT", topics: [TopicName("raids")!])
    /// if phone.result == .created { print("a new device:", phone.id) }
    /// ```
    ///
    /// - Parameters:
    ///   - replaces: the old token of the device, which this one replaces; the device keeps its id.
    ///   - locale: a language tag; the empty string removes the stored one.
    ///   - timeZone: a time zone name of the IANA database; the empty string removes the stored one.
    ///   - topics: topics that the device is subscribed to with this registration.
    ///   - groups: groups that the device joins with this registration.
    public func register(
        _ address: DeviceAddress,
        replaces: DeviceToken? = nil,
        locale: String? = nil,
        timeZone: String? = nil,
        attributes: [AttributeChange] = [],
        topics: [TopicName] = [],
        groups: [GroupName] = []
    ) async throws(CarillonError) -> RegisterResult {
        try await client.register(
            Registration(
                app: app, address: address, replaces: replaces, locale: locale, timeZone: timeZone,
                attributes: attributes, topics: topics, groups: groups))
    }

    /// Sends a notification. The message is durable when this returns; unless it is scheduled, its delivery has begun.
    ///
    /// ```swift
    /// let message = try await game.send(
    ///     .alert(title: "Raid", body: "It begins"), to: .topic("raids"),
    ///     translations: ["de": .init(title: "Überfall", body: "Es beginnt")])
    /// print(message.id, "for", message.total, "devices")
    /// ```
    ///
    /// - Parameters:
    ///   - except: a device of the audience that gets nothing.
    ///   - type: the push type.
    ///   - translations: alerts by language tag; a field that a translation leaves out is taken from the notification.
    ///   - android: the content for Android devices; it overrides or replaces the message made of the notification.
    ///   - web: the content for browsers; it overrides or replaces the message made of the notification.
    ///   - options: when, how fast and until when to send, and the label and the idempotency key.
    /// - Throws: `.invalidArgument` with the field at fault if the notification cannot be turned into a payload;
    ///   otherwise the errors of `CarillonClient.send(_:)`.
    @discardableResult
    public func send(
        _ notification: PushNotification,
        to audience: Audience,
        except: DeviceReference? = nil,
        type: PushType = .alert,
        translations: [String: PushNotification.Alert] = [:],
        android: AndroidContent? = nil,
        web: WebContent? = nil,
        options: SendOptions = SendOptions()
    ) async throws(CarillonError) -> SendResult {
        let payload: LocalizedPayload
        do throws(MessageError) {
            payload = try notification.localized(translations, for: type)
        } catch {
            throw CarillonError(.invalidArgument, field: error.field, message: error.text)
        }
        return try await send(
            payload: payload.payload ?? [], bodies: payload.bodies, to: audience, except: except, type: type,
            android: android, web: web, options: options)
    }

    /// Sends a JSON object. APNs gets it byte for byte; the messages to FCM and browsers are made from it. Otherwise
    /// the call is like `send` of a notification.
    ///
    /// ```swift
    /// let payload = Array(#"{"aps":{"alert":"It begins"},"raid":7}"#.utf8)
    /// try await game.send(payload: payload, to: .topic("raids"))
    /// ```
    ///
    /// - Parameters:
    ///   - payload: the JSON text.
    ///   - bodies: payloads by language.
    ///   - android: the content for Android devices; it overrides or replaces the message made of the payload.
    ///   - web: the content for browsers; it overrides or replaces the message made of the payload.
    @discardableResult
    public func send(
        payload: [UInt8],
        bodies: [LanguageBody] = [],
        to audience: Audience,
        except: DeviceReference? = nil,
        type: PushType = .alert,
        android: AndroidContent? = nil,
        web: WebContent? = nil,
        options: SendOptions = SendOptions()
    ) async throws(CarillonError) -> SendResult {
        let request = try PreparedRequest(
            sending: message(
                content(payload, bodies: bodies, type: type, android: android, web: web, options: options),
                to: audience, except: except, options: options),
            key: options.key, randomKeys: client.shared.randomKeys)
        return try await client.request(prepared: request, of: Message.self)
    }

    private func content(
        _ payload: [UInt8], bodies: [LanguageBody], type: PushType, android: AndroidContent?, web: WebContent?,
        options: SendOptions
    ) -> MessageContent {
        MessageContent(
            app: app, pushType: type, priority: options.priority, expiration: options.expiration,
            collapseID: options.collapseID, payload: payload, bodies: bodies, idKey: options.idKey,
            overBudget: options.overBudget, android: android, web: web)
    }

    private func message(
        _ content: MessageContent, to audience: Audience, except: DeviceReference?, options: SendOptions
    ) -> Message {
        Message(
            content: content, audience: audience, excludedDevice: except, notAfter: options.notAfter,
            lane: options.lane, sendAt: options.sendAt, pace: options.pace, label: options.label,
            traceParent: options.traceParent, isDryRun: options.isDryRun)
    }

    /// Returns the state of a message and its counts by outcome.
    ///
    /// ```swift
    /// let status = try await game.status(of: message.id)
    /// print(status.state, status.outcomes[.delivered, default: 0], "of", status.total)
    /// ```
    public func status(of message: MessageID) async throws(CarillonError) -> MessageStatus {
        try await client.status(of: message, app: app)
    }

    /// Waits until every device of a message has its outcome, as `CarillonClient.waitUntilFinished`.
    ///
    /// ```swift
    /// let status = try await game.waitUntilFinished(message.id, timeout: .seconds(300))
    /// for (outcome, devices) in status.outcomes { print(outcome, devices) }
    /// ```
    public func waitUntilFinished(
        _ message: MessageID, timeout: Duration = .seconds(60)
    ) async throws(CarillonError) -> MessageStatus {
        try await client.waitUntilFinished(message, app: app, timeout: timeout)
    }

    /// Cancels, pauses, resumes or paces a message, as `CarillonClient.updateMessage`.
    ///
    /// ```swift
    /// try await game.updateMessage(message.id, with: .pause)
    /// ```
    @discardableResult
    public func updateMessage(
        _ message: MessageID, with messageUpdate: MessageUpdate
    ) async throws(CarillonError) -> MessageState {
        try await client.updateMessage(message, app: app, with: messageUpdate)
    }
}

extension CarillonClient {
    /// The calls about the default app of the configuration, for example of `CARILLON_APP`.
    ///
    /// - Throws: `.invalidArgument` if it names none.
    public var defaultApp: AppClient {
        get throws(CarillonError) {
            guard let app = configuration.defaultApp else {
                throw CarillonError(.invalidArgument, field: "app", message: "there is no default app")
            }
            return self.app(app)
        }
    }

    /// Returns the calls about an app.
    public func app(_ app: AppID) -> AppClient { AppClient(client: self, app: app) }

    /// Returns the calls about an app whose bundle id is a constant of the program.
    ///
    /// - Precondition: `bundleID` is a bundle id. For one from elsewhere: `AppID(text)`, which may be nil.
    public func app(_ bundleID: StaticString) -> AppClient {
        guard let app = AppID(bundleID.description) else { preconditionFailure("\(bundleID) is not a bundle id") }
        return self.app(app)
    }
}

extension PushNotification {
    /// Makes a notification that is shown.
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
    /// The audience of every device of the app.
    public static var allDevices: Audience { .all }

    /// Returns the devices that are subscribed to a topic whose name is a constant of the program.
    ///
    /// - Precondition: `name` is the name of a topic. For one from elsewhere: `TopicName(text)`, which may be nil.
    @_disfavoredOverload
    public static func topic(_ name: StaticString) -> Audience {
        guard let topic = TopicName(name.description) else { preconditionFailure("\(name) is not a name of a topic") }
        return .topic(topic)
    }

    /// Returns the devices of one group.
    public static func group(_ group: GroupName) -> Audience { .groups([group]) }

    /// Returns the devices of one group whose name is a constant of the program.
    ///
    /// - Precondition: `name` is the name of a group. For one from elsewhere: `GroupName(text)`, which may be nil.
    @_disfavoredOverload
    public static func group(_ name: StaticString) -> Audience {
        guard let group = GroupName(name.description) else { preconditionFailure("\(name) is not a name of a group") }
        return .groups([group])
    }

    /// Returns the audience of one device, by its id.
    public static func device(_ device: DeviceID) -> Audience { .devices([.id(device)]) }
}
