import CarillonCore
import CarillonRegistry

/// Formats the findings of the verifier for scripts and for users.
extension Finding {
    /// A stable name for scripts: the name of the case.
    var kind: String {
        let text = String(describing: self)
        return String(text.prefix { $0 != "(" })
    }

    /// Returns the fault and its place in words, without tokens.
    func sentence(_ apps: AppNames) -> String {  // style: table, a row for each finding
        switch self {
        case .tableOutOfOrder(let name): "table \(name): keys are missing, too many or out of order"
        case .pagesDiffer(let used, let found):
            "the file has \(used) pages, but \(found) are in its tables or free"
        case .unknownApp(let app): "\(apps[app]): there are rows of an app that does not exist"
        case .deviceNotAssigned(let app, let id): "\(apps[app]), device \(id): this id was not assigned yet"
        case .deviceWithoutAddress(let app, let id): "\(apps[app]), device \(id): the token index has no entry for it"
        case .addressWithoutDevice(let app, let id):
            "\(apps[app]), device \(id): the token index has an entry for it, but the device is missing or has another "
                + "token"
        case .orphanedTombstone(let app, let address):
            "\(apps[app]), token \(address.shortenedToken): it has a tombstone but no entry as unregistered"
        case .tombstonesDiffer(let app): "\(apps[app]): the numbers of unregistered tokens and of tombstones differ"
        case .tombstoneWithoutExpiry(let app, let address):
            "\(apps[app]), token \(address.shortenedToken): its tombstone would never be removed"
        case .keyWithoutExpiry(let app, let key): "\(apps[app]), idempotency key \(key): it would never be removed"
        case .expiryOfNothing(let kind, let time):
            "a retention entry (kind \(kind), \(time.milliseconds) ms) refers to nothing"
        case .contentDiffers(let id): "message \(id): its content is missing, or there is content without a message"
        case .orphanedClaims(let id): "message \(id): it is finished or does not exist, but a node claims it"
        case .orphanedSilentClaim(let app): "app \(app): it does not exist, but a node sends its silent pushes"
        case .orphanedMetadata(let id): "message \(id): it does not exist, but there is a label or sender of it"
        case .pageDiffers(let id, let page):
            "message \(id), page \(page): it is missing, or has no message, or does not match its recipients"
        case .pendingInFinishedPage(let id, let page):
            "message \(id), page \(page): a recipient in it is pending, and a restart would not read it"
        case .countsDiffer(let id): "message \(id): its counts differ from its outcomes"
        case .outboxDiffers(let id): "message \(id): it is in the outbox but should not be, or the reverse"
        case .scheduleDiffers(let id): "message \(id): it is in the schedule but should not be, or the reverse"
        case .listingDiffers(let app, let id):
            "\(apps[app]), message \(id): it is not in the app's list of messages, or only there"
        case .orphanedReceipt(let id, let device):
            "message \(id), device \(device): a receipt from a device that is not a recipient"
        case .receiptsDiffer(let id): "message \(id): its counts of receipts differ from the rows"
        case .quarantineDiffers(let app, let id):
            "\(apps[app]), device \(id): its state and the list of quarantined devices differ"
        case .silentWithoutDevice(let app, let id):
            "\(apps[app]), device \(id): silent pushes of a device that does not exist"
        case .subscriptionWithoutBrowser(let app, let id):
            "\(apps[app]), device \(id): a push subscription of a device that does not exist or is not a browser"
        case .eventOutOfOrder(let sequence): "event \(sequence): it is missing, or was not assigned yet"
        case .subscriberAhead(let principal, let name):
            "subscriber \(name) of \(principal): it has acknowledged events that never existed"
        case .messageWithoutExpiry(let id): "message \(id): it has finished and would never be removed"
        case .messageNotAssigned(let id): "message \(id): this id was not assigned yet"
        case .audienceDiffers(let id): "message \(id): the forms of its audience and of its progress differ"
        case .orphanedAttempt(let id, let page, let position):
            "message \(id), page \(page), position \(position): an attempt of a recipient that does not exist"
        case .orphanedDelay(let id, let page, let position):
            "message \(id), page \(page), position \(position): an attempt waits for a recipient that is not pending"
        default: sentenceOfSets(apps)
        }
    }

    private func sentenceOfSets(_ apps: AppNames) -> String {
        switch self {
        case .setNotAssigned(let app, let set): "\(apps[app]), set \(set): this number was not assigned yet"
        case .setNameDiffers(let app, let set): "\(apps[app]), set \(set): its name and its number do not match"
        case .setWithoutReason(let app, let set): "\(apps[app]), set \(set): it is unused"
        case .devicesDiffer(let app, let set): "\(apps[app]), set \(set): its count of devices differs from its rows"
        case .groupSubscriptionsDiffer(let app, let set):
            "\(apps[app]), set \(set): its count of subscribers differs from the rows"
        case .quarantinedMembersDiffer(let app, let set):
            "\(apps[app]), set \(set): its count of quarantined devices differs from the rows"
        case .postingUnreadable(let app, let set, let chunk):
            "\(apps[app]), set \(set), chunk \(chunk): it is empty, out of order or cannot be read"
        case .postingWithoutSet(let app, let set, let chunk):
            "\(apps[app]), set \(set), chunk \(chunk): it has no set"
        case .postingWithoutReason(let app, let set, let id):
            "\(apps[app]), device \(id): it is in set \(set) without a source"
        case .postingMissing(let app, let set, let id): "\(apps[app]), device \(id): it is missing from set \(set)"
        case .membershipWithoutDevice(let app, let id):
            "\(apps[app]), device \(id): it has memberships but does not exist"
        case .membershipEmpty(let app, let id): "\(apps[app]), device \(id): an empty row of memberships"
        case .orphanedMembership(let app, let id, let set):
            "\(apps[app]), device \(id): it has set \(set), which has another kind or does not exist"
        case .orphanedGroupTopic(let app, let group, let topic):
            "\(apps[app]), group \(group): it has set \(topic), which is not a topic, or the group is not a group"
        default: kind
        }
    }
}

/// The names of apps by number, for findings.
struct AppNames {
    private let names: [UInt32: AppID]

    /// Reads the apps of a registry. There are none if they cannot be read, which another check reports.
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

    /// Returns the name of an app, or its number if the name is not known.
    subscript(number: UInt32) -> String { names[number]?.name ?? "app \(number)" }
}
