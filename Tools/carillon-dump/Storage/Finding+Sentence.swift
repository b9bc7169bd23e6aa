import CarillonCore
import CarillonRegistry

/// Names of apps, for findings that have their numbers.
struct Apps {
    private let names: [UInt32: AppID]

    /// The apps of a registry; none if they cannot be read, which is found elsewhere.
    init(_ registry: LMDBRegistry) {
        do throws(RegistryError) {
            names = try registry.appNumbers()
        } catch {
            names = [:]
        }
    }

    init(names: [UInt32: AppID]) {
        self.names = names
    }

    /// The name of an app, or its number.
    subscript(number: UInt32) -> String { names[number]?.name ?? "app \(number)" }
}

extension Finding {
    /// A stable name for scripts: that of its case.
    var kind: String {
        let text = String(describing: self)
        return String(text.prefix { $0 != "(" })
    }

    /// What is wrong, and where; no token.
    func sentence(_ apps: Apps) -> String {
        switch self {
        case .tableOutOfOrder(let name): "table \(name): keys are missing, too many or out of order"
        case .pagesDiffer(let used, let found):
            "the file has \(used) pages, but \(found) are in its tables or free"
        case .unknownApp(let app): "\(apps[app]): there is no such app, but rows of it"
        case .deviceNotGiven(let app, let id): "\(apps[app]), device \(id): this id was not given yet"
        case .deviceWithoutAddress(let app, let id): "\(apps[app]), device \(id): its token does not lead back to it"
        case .addressWithoutDevice(let app, let id):
            "\(apps[app]), device \(id): a token leads to it, but it is not there or has another"
        case .tombstoneAstray(let app, let address):
            "\(apps[app]), token \(address.token.shortened): it has a tombstone and is not known as unregistered"
        case .tombstonesDiffer(let app): "\(apps[app]): its unregistered tokens are not as many as its tombstones"
        case .tombstoneWithoutExpiry(let app, let address):
            "\(apps[app]), token \(address.token.shortened): its tombstone would be kept for ever"
        case .keyWithoutExpiry(let app, let key): "\(apps[app]), idempotency key \(key): it would be kept for ever"
        case .expiryOfNothing(let kind, let time):
            "a note of retention (kind \(kind), \(time.milliseconds) ms) is of nothing"
        case .contentAstray(let id): "message \(id): its content is missing, or it is a content without a message"
        case .pageAstray(let id, let page):
            "message \(id), page \(page): it is missing, or of no message, or does not fit its recipients"
        case .pendingBelowFloor(let id, let page):
            "message \(id), page \(page): somebody in it is pending, and no restart would look there"
        case .countsDiffer(let id): "message \(id): its counts are not those of its outcomes"
        case .outboxDiffers(let id): "message \(id): it is in the outbox and should not be, or the other way round"
        case .scheduleDiffers(let id): "message \(id): it is in the schedule and should not be, or the other way round"
        case .listingDiffers(let app, let id):
            "\(apps[app]), message \(id): it is not in the app's list of messages, or only there"
        case .receiptAstray(let id, let device): "message \(id), device \(device): a receipt of no recipient"
        case .receiptsDiffer(let id): "message \(id): its counts of receipts are not those of the rows"
        case .quarantineDiffers(let app, let id):
            "\(apps[app]), device \(id): its state and the list of the quarantined differ"
        case .silentWithoutDevice(let app, let id): "\(apps[app]), device \(id): silent pushes of no device"
        case .eventAstray(let sequence): "event \(sequence): it is missing, or was not given yet"
        case .subscriberAhead(let principal, let name):
            "subscriber \(name) of \(principal): it has acknowledged events that there were not"
        case .messageWithoutExpiry(let id): "message \(id): it has finished and would be kept for ever"
        case .messageNotGiven(let id): "message \(id): this id was not given yet"
        case .audienceDiffers(let id): "message \(id): the form of its audience is not that of its progress"
        case .attemptAstray(let id, let page, let position):
            "attempts of message \(id) at position \(position) of page \(page), which it does not have"
        case .delayAstray(let id, let page, let position):
            "message \(id), page \(page), position \(position): an attempt waits for somebody who is not pending"
        default: sentenceOfSets(apps)
        }
    }

    private func sentenceOfSets(_ apps: Apps) -> String {
        switch self {
        case .setNotGiven(let app, let set): "\(apps[app]), set \(set): this number was not given yet"
        case .setNameAstray(let app, let set): "\(apps[app]), set \(set): its number does not lead back to it"
        case .setWithoutReason(let app, let set): "\(apps[app]), set \(set): nothing needs it"
        case .devicesDiffer(let app, let set): "\(apps[app]), set \(set): its count of devices is not that of its rows"
        case .holdersDiffer(let app, let set): "\(apps[app]), set \(set): its count of holders is not that of the rows"
        case .dormantDiffers(let app, let set):
            "\(apps[app]), set \(set): its count of quarantined devices is not that of the rows"
        case .postingUnreadable(let app, let set, let chunk):
            "\(apps[app]), set \(set), chunk \(chunk): it is empty, out of order or cannot be read"
        case .postingWithoutSet(let app, let set, let chunk):
            "\(apps[app]), set \(set), chunk \(chunk): it is of no set"
        case .postingWithoutReason(let app, let set, let id):
            "\(apps[app]), device \(id): it is in set \(set) without a reason"
        case .postingMissing(let app, let set, let id): "\(apps[app]), device \(id): it is missing in set \(set)"
        case .membershipWithoutDevice(let app, let id): "\(apps[app]), device \(id): it holds sets and is not there"
        case .membershipEmpty(let app, let id): "\(apps[app]), device \(id): a row of sets without any"
        case .membershipAstray(let app, let id, let set):
            "\(apps[app]), device \(id): it holds set \(set), which is of another kind or not there"
        case .groupTopicAstray(let app, let group, let topic):
            "\(apps[app]), group \(group): it holds set \(topic), which is no topic, or is no group itself"
        default: kind
        }
    }
}
