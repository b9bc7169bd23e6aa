import CarillonCore
import CarillonWire

/// The log's own forms of changes, each with a number that is never given twice. If the bytes of a form must change,
/// they become a new form with a new number. The old form stays readable, because the log outlives the program that
/// wrote it.
///
/// A frame of a form has the head of a frame of the protocol (16 bytes, Protocol 3). Its kind is `frameKind`, and its
/// flags are 0. Its opcode is the number of the form. Its id is the time of the change in milliseconds, or 0 for a
/// change without a time; the id of `together` is a count.
enum ChangeForm: UInt16, CaseIterable {
    /// The frames of changes that take effect together. The id is the number of these changes.
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
    /// A record of outcomes with an attempt that has an `apns-unique-id`; without one it is `recordOutcomes`.
    case recordOutcomesWithIDs = 70
    case registerBrowser = 72
    case claimPages = 77
    case endBlock = 78
    case releaseBlocks = 79
    case recordOutcomes = 80
    case finish = 81
    case countReceipts = 82
    case appendEvent = 96
    case acknowledge = 97
    case forgetSubscriber = 98

    /// The kind of a frame that only the log uses. The protocol gives no number above 127.
    static let frameKind: UInt8 = 0x80

    /// The numbers of the forms that came with format 2 of the entries of a shared log. All other forms
    /// are of format 1.
    private static let formsOfFormat2: ClosedRange<UInt16> = 70...79

    /// The lowest format of entries in which a shared log may contain the form: a program that knows only earlier
    /// formats cannot read it.
    var format: UInt16 { Self.formsOfFormat2.contains(rawValue) ? 2 : 1 }

    /// The newest format of entries that this program can read.
    static var newestFormat: UInt16 { allCases.map(\.format).max() ?? 1 }
}

extension Mutation {
    /// The oldest format of entries that can contain the mutation.
    var format: UInt16 {
        switch self {
        case .change(let change): ChangeForm(change).format
        case .changes(let changes): changes.map { ChangeForm($0).format }.max() ?? 1
        case .sweep: 1
        }
    }
}

extension ChangeForm {
    init(_ change: Change) {
        self =
            switch change {
            case .register(let registration, _): registration.subscription == nil ? .register : .registerBrowser
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
            case .claimPages: .claimPages
            case .endBlock: .endBlock
            case .releaseBlocks: .releaseBlocks
            case .recordOutcomes(let record, _): record.hasUniqueIDs ? .recordOutcomesWithIDs : .recordOutcomes
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
            .recordOutcomes(_, let now), .endBlock(_, _, let now), .finish(_, let now), .countReceipts(_, let now),
            .acknowledge(_, _, let now):
            now
        case .appendEvent(let event): event.at
        case .updateDevice, .leave, .updateGroup, .subscribe, .unsubscribe, .setAudienceCount, .claim, .claimPages,
            .releaseBlocks, .forgetSubscriber, .configure:
            .zero
        }
    }
}

/// Writes changes in the log's own forms. Values of many fields are in `FormWriter+Values.swift`.
extension FormWriter {
    static func append(_ change: Change, to frames: inout FrameWriter) {
        var writer = FormWriter(ChangeForm(change), number: change.loggedTime.milliseconds)
        writer.write(change)
        writer.finish(into: &frames)
    }

    // style: table, a row for each change
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
        case .finish(let message, _), .claim(let message), .releaseBlocks(let message): append(message.rawValue)
        case .claimPages(let message, let number), .endBlock(let message, let number, _):
            append(message.rawValue)
            append(number)
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

/// Reads changes from the log's own forms. Bytes that a ``FormWriter`` would not write are corrupt. Values of many
/// fields are in `ChangeForm+Values.swift`.
extension ChangeForm {
    /// Reads the change of a frame to its end; nil if the form does not stand for one change.
    func change(_ reader: inout ByteReader, time: Timestamp) throws -> Change? {
        switch self {
        case .together, .sweep: nil
        case .configure: .configure(try RegistrySettings(&reader))
        case .register: try register(&reader, now: time)
        case .registerBrowser: try registerBrowser(&reader, now: time)
        case .unregister: try unregister(&reader, now: time)
        case .updateDevice: try updateDevice(&reader)
        case .restore: .restore(RestoreRequest(app: try reader.app(), device: try DeviceReference(&reader)), now: time)
        case .join: try join(&reader, now: time)
        case .leave: try leave(&reader)
        case .updateGroup: try updateGroup(&reader)
        case .subscribe: .subscribe(try readTopicSubscription(&reader))
        case .unsubscribe: .unsubscribe(try readTopicSubscription(&reader))
        case .accept: try accept(&reader, now: time)
        case .resend: try resend(&reader, now: time)
        case .updateMessage: try updateMessage(&reader, now: time)
        case .releaseScheduled: .releaseScheduled(now: time)
        case .setAudienceCount: .setAudienceCount(try reader.message(), devices: try reader.number())
        case .claim: .claim(try reader.message())
        case .claimPages: .claimPages(try reader.message(), pages: try reader.number())
        case .endBlock: .endBlock(try reader.message(), blockAt: try reader.number(), now: time)
        case .releaseBlocks: .releaseBlocks(try reader.message())
        case .recordOutcomes: .recordOutcomes(try readRecord(&reader), now: time)
        case .recordOutcomesWithIDs: try recordOutcomesWithIDs(&reader, now: time)
        case .finish: .finish(try reader.message(), now: time)
        case .countReceipts: try countReceipts(&reader, now: time)
        case .appendEvent: .appendEvent(try readEvent(&reader, at: time))
        case .acknowledge: .acknowledge(try readSubscriber(&reader), upTo: try reader.number(), now: time)
        case .forgetSubscriber: .forgetSubscriber(try readSubscriber(&reader))
        }
    }

    private func register(_ reader: inout ByteReader, now: Timestamp) throws -> Change {
        let app = try reader.app()
        let device = try DeviceReference(&reader)
        return .register(try readRegistration(&reader, app: app, device: device), now: now)
    }

    private func registerBrowser(_ reader: inout ByteReader, now: Timestamp) throws -> Change {
        let app = try reader.app()
        let device = try DeviceReference(&reader)
        var registration = try readRegistration(&reader, app: app, device: device)
        registration.subscription = try readSubscription(&reader)
        return .register(registration, now: now)
    }

    private func unregister(_ reader: inout ByteReader, now: Timestamp) throws -> Change {
        let app = try reader.app()
        let device = try DeviceReference(&reader)
        return .unregister(UnregisterRequest(app: app, device: device, at: try reader.time()), now: now)
    }

    private func updateDevice(_ reader: inout ByteReader) throws -> Change {
        let app = try reader.app()
        let device = try DeviceReference(&reader)
        return .updateDevice(UpdateDeviceRequest(app: app, device: device, update: try readUpdate(&reader)))
    }

    private func join(_ reader: inout ByteReader, now: Timestamp) throws -> Change {
        let app = try reader.app()
        return try join(&reader, app: app, now: now)
    }

    private func leave(_ reader: inout ByteReader) throws -> Change {
        let app = try reader.app()
        let group = try reader.group()
        let devices = try reader.devices()
        let clearsTopics = try reader.flags(upTo: 1) == 1
        return .leave(LeaveRequest(app: app, group: group, devices: devices, clearsTopics: clearsTopics))
    }

    private func updateGroup(_ reader: inout ByteReader) throws -> Change {
        let app = try reader.app()
        let group = try reader.group()
        return .updateGroup(UpdateGroupRequest(app: app, group: group, isMuted: try readIsMuted(&reader)))
    }

    private func readTopicSubscription(_ reader: inout ByteReader) throws -> TopicSubscription {
        TopicSubscription(
            app: try reader.app(), topics: try reader.list { try $0.topic() }, devices: try reader.devices(),
            groups: try reader.list { try $0.group() })
    }

    private func updateMessage(_ reader: inout ByteReader, now: Timestamp) throws -> Change {
        let message = try reader.message()
        let app = try reader.app()
        let request = UpdateMessageRequest(app: app, id: message, messageUpdate: try readMessageUpdate(&reader))
        return .updateMessage(request, now: now)
    }

    private func recordOutcomesWithIDs(_ reader: inout ByteReader, now: Timestamp) throws -> Change {
        let record = try readRecord(&reader)
        // The log would write such a record as `recordOutcomes`.
        guard record.hasUniqueIDs else { throw reader.corrupted("a record without an apns-unique-id") }
        return .recordOutcomes(record, now: now)
    }

    private func countReceipts(_ reader: inout ByteReader, now: Timestamp) throws -> Change {
        let app = try reader.app()
        let receipts = try reader.list { reader in
            Receipt(message: try reader.message(), device: try DeviceReference(&reader), kind: try reader.value())
        }
        return .countReceipts(ReceiptsRequest(app: app, receipts: receipts), now: now)
    }
}
