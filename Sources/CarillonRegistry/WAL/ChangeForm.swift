import CarillonCore
import CarillonWire

/// The log's own forms of changes, each with a number that is never given twice. A layout that changes gets a new
/// number, and the old one stays readable: the log outlives the program that wrote it.
///
/// A frame of a form has the head of a frame of the protocol (16 bytes, Protocol 3): its kind is `frameKind`, its flags
/// are 0, its opcode is the number of the form, and its id is the time of the change in milliseconds, or 0 for a change
/// without a time.
enum ChangeForm: UInt16, CaseIterable {
    /// Changes that take effect together: their frames. The id is their number.
    case together = 1
    case sweep = 2
    case configure = 3
    case register = 16
    case unregister = 17
    case updateDevice = 18
    case restore = 19
    case join = 32
    case leave = 33
    case updateGroup = 34
    case subscribe = 48
    case unsubscribe = 49
    case accept = 64
    case resend = 65
    case updateMessage = 66
    case releaseScheduled = 67
    case setAudienceCount = 68
    case claim = 69
    case recordOutcomes = 80
    case finish = 81
    case countReceipts = 82
    case appendEvent = 96
    case acknowledge = 97
    case forgetSubscriber = 98

    /// The kind of a frame of the log alone. The protocol gives no number above 127.
    static let frameKind: UInt8 = 0x80
}

extension ChangeForm {
    /// The form of a change.
    init(_ change: Change) {
        self =
            switch change {
            case .register: .register
            case .unregister: .unregister
            case .updateDevice: .updateDevice
            case .restore: .restore
            case .join: .join
            case .leave: .leave
            case .updateGroup: .updateGroup
            case .subscribe: .subscribe
            case .unsubscribe: .unsubscribe
            case .accept: .accept
            case .resend: .resend
            case .updateMessage: .updateMessage
            case .releaseScheduled: .releaseScheduled
            case .setAudienceCount: .setAudienceCount
            case .claim: .claim
            case .recordOutcomes: .recordOutcomes
            case .finish: .finish
            case .countReceipts: .countReceipts
            case .appendEvent: .appendEvent
            case .acknowledge: .acknowledge
            case .forgetSubscriber: .forgetSubscriber
            case .configure: .configure
            }
    }
}

extension Change {
    /// The time in the head of the change's frame; zero for a change without a time.
    var loggedTime: Timestamp {
        switch self {
        case .register(_, let now), .unregister(_, let now), .restore(_, let now), .join(_, _, let now),
            .accept(_, _, let now), .resend(_, _, let now), .updateMessage(_, let now), .releaseScheduled(let now),
            .recordOutcomes(_, let now), .finish(_, let now), .countReceipts(_, let now), .acknowledge(_, _, let now):
            now
        case .appendEvent(let event): event.at
        case .updateDevice, .leave, .updateGroup, .subscribe, .unsubscribe, .setAudienceCount, .claim,
            .forgetSubscriber, .configure:
            .zero
        }
    }
}

/// Writing changes in the log's own forms. Values of many fields are in `FormWriter+Values.swift`.
extension FormWriter {
    /// Appends a change to frames.
    static func append(_ change: Change, to frames: inout FrameWriter) {
        var writer = FormWriter(ChangeForm(change), time: change.loggedTime.milliseconds)
        writer.write(change)
        writer.finish(into: &frames)
    }

    private mutating func write(_ change: Change) {
        switch change {
        case .register(let registration, _): write(registration)
        case .unregister(let request, _):
            append(text: request.app.name)
            append(request.device)
            append(request.at)
        case .updateDevice(let request):
            append(text: request.app.name)
            append(request.device)
            write(request.update)
        case .restore(let request, _):
            append(text: request.app.name)
            append(request.device)
        case .join(let join, let sender, _): write(join, sender: sender)
        case .leave(let leave):
            append(text: leave.app.name)
            append(text: leave.group.name)
            append(devices: leave.devices)
            append(UInt8(leave.clearsTopics ? 1 : 0))
        case .updateGroup(let request):
            append(text: request.app.name)
            append(text: request.group.name)
            write(request.isMuted)
        case .subscribe(let subscription), .unsubscribe(let subscription):
            append(text: subscription.app.name)
            append(list: subscription.topics) { $0.append(text: $1.name) }
            append(devices: subscription.devices)
            append(list: subscription.groups) { $0.append(text: $1.name) }
        case .accept(let message, let sender, _): write(message, sender: sender)
        case .resend(let resend, let sender, _): write(resend, sender: sender)
        case .updateMessage(let request, _):
            append(request.id.rawValue)
            append(text: request.app.name)
            write(request.messageUpdate)
        case .releaseScheduled: break
        case .setAudienceCount(let message, let devices):
            append(message.rawValue)
            append(devices)
        case .recordOutcomes(let record, _): write(record)
        case .finish(let message, _), .claim(let message): append(message.rawValue)
        case .countReceipts(let request, _):
            append(text: request.app.name)
            append(list: request.receipts) { writer, receipt in
                writer.append(receipt.message.rawValue)
                writer.append(receipt.device)
                writer.append(receipt.kind.rawValue)
            }
        case .appendEvent(let event): write(event)
        case .acknowledge(let subscriber, let sequence, _):
            append(text: subscriber.principal)
            append(text: subscriber.name)
            append(sequence)
        case .forgetSubscriber(let subscriber):
            append(text: subscriber.principal)
            append(text: subscriber.name)
        case .configure(let settings): append(capacity: RegistrySettings.byteCount) { settings.append(to: &$0) }
        }
    }
}

/// Reading changes in the log's own forms. What is not exactly what a ``FormWriter`` writes is corrupt. Values of many
/// fields are in `ChangeForm+Values.swift`.
extension ChangeForm {
    /// Reads the change of a frame to its end; nil if the form is not that of one change.
    func change(_ reader: inout ByteReader, time: Timestamp) throws -> Change? {
        switch self {
        case .together, .sweep: nil
        case .configure: .configure(try RegistrySettings(&reader))
        case .register, .unregister, .updateDevice, .restore: try deviceChange(&reader, time)
        case .join, .leave, .updateGroup, .subscribe, .unsubscribe: try membershipChange(&reader, time)
        case .accept, .resend, .updateMessage, .releaseScheduled, .setAudienceCount, .claim, .recordOutcomes,
            .finish, .countReceipts:
            try messageChange(&reader, time)
        case .appendEvent: .appendEvent(try event(&reader, at: time))
        case .acknowledge:
            .acknowledge(try subscriber(&reader), upTo: try reader.number(), now: time)
        case .forgetSubscriber: .forgetSubscriber(try subscriber(&reader))
        }
    }

    private func deviceChange(_ reader: inout ByteReader, _ now: Timestamp) throws -> Change? {
        let app = try reader.app()
        let device = try DeviceReference(&reader)
        switch self {
        case .register: return .register(try registration(&reader, app: app, device), now: now)
        case .unregister:
            return .unregister(UnregisterRequest(app: app, device: device, at: try reader.time()), now: now)
        case .updateDevice:
            return .updateDevice(UpdateDeviceRequest(app: app, device: device, update: try update(&reader)))
        case .restore: return .restore(RestoreRequest(app: app, device: device), now: now)
        default: return nil
        }
    }

    private func membershipChange(_ reader: inout ByteReader, _ now: Timestamp) throws -> Change? {
        let app = try reader.app()
        switch self {
        case .join: return try join(&reader, app: app, now: now)
        case .leave:
            let (group, devices) = (try reader.group(), try reader.devices())
            let clearsTopics = try reader.flags(upTo: 1) == 1
            return .leave(LeaveRequest(app: app, group: group, devices: devices, clearsTopics: clearsTopics))
        case .updateGroup:
            let group = try reader.group()
            return .updateGroup(UpdateGroupRequest(app: app, group: group, isMuted: try isMuted(&reader)))
        case .subscribe, .unsubscribe:
            let subscription = Subscription(
                app: app, topics: try reader.list { try $0.topic() }, devices: try reader.devices(),
                groups: try reader.list { try $0.group() })
            return self == .subscribe ? .subscribe(subscription) : .unsubscribe(subscription)
        default: return nil
        }
    }

    private func messageChange(_ reader: inout ByteReader, _ now: Timestamp) throws -> Change? {
        switch self {
        case .accept: return try accept(&reader, now)
        case .resend: return try resend(&reader, now)
        case .updateMessage:
            let (message, app) = (try reader.message(), try reader.app())
            let request = UpdateMessageRequest(app: app, id: message, messageUpdate: try messageUpdate(&reader))
            return .updateMessage(request, now: now)
        case .releaseScheduled: return .releaseScheduled(now: now)
        case .setAudienceCount: return .setAudienceCount(try reader.message(), devices: try reader.number())
        case .recordOutcomes: return .recordOutcomes(try record(&reader), now: now)
        case .finish: return .finish(try reader.message(), now: now)
        case .claim: return .claim(try reader.message())
        case .countReceipts:
            let app = try reader.app()
            let receipts = try reader.list { reader in
                Receipt(
                    message: try reader.message(), device: try DeviceReference(&reader), kind: try reader.value())
            }
            return .countReceipts(ReceiptsRequest(app: app, receipts: receipts), now: now)
        default: return nil
        }
    }
}
