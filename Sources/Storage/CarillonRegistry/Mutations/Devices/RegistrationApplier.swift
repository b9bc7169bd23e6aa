import CarillonCore
import CarillonLMDB

/// Applies REGISTER: a new device, a known one, or one whose token replaces another.
final class RegistrationApplier {
    /// The target of a registration: its address with what is stored there, and the times that decide whether it is
    /// refused.
    private struct Target {
        let app: AppNumber
        let digest: AddressDigest
        let seenAt: Timestamp
        let now: Timestamp
        /// The state of the address; nil if nothing is stored there, or until it is read.
        var state: AddressState?
        /// The device that has the address; nil if no device has it, or until it is read.
        var current: DeviceRecord?

        var rule: RegistrationRule { RegistrationRule(seenAt: seenAt, now: now) }
    }

    /// The result of ``insertOrFind(_:at:in:)``.
    private enum InsertionResult {
        /// The address was free: it was given to the device with the next id, which gets these attributes.
        case inserted(Attributes)
        /// The address is free, and was not given away.
        case vacant
        /// The address is taken: a device has it, or it has a tombstone.
        case occupied(AddressState)
    }

    /// The plan of a registration that is not refused: the rows to store.
    private struct Plan {
        /// The device whose token is replaced; nil if the registration replaces no token of a device.
        let replaced: DeviceRecord?
        /// The device that the registration changes; nil if it makes a new one.
        let known: DeviceRecord?
        /// The attributes of the device, with the changes of the registration.
        let attributes: Attributes
        /// The membership of the device before the registration.
        let membership: MembershipRecord
        /// True if the token has died since the app has seen it: the device stays in quarantine.
        let isTokenDead: Bool
    }

    /// The result of ``plan(for:at:in:)``.
    private enum PlanResult {
        case refused(ChangeAnswer.Refusal)
        case planned(Plan)
    }

    private let context: WriteContext
    private let tables: Tables

    init(_ context: WriteContext) {
        self.context = context
        tables = context.tables
    }

    // MARK: The steps of a registration

    /// Applies REGISTER (Protocol 7.1).
    func register(
        _ registration: Registration,
        now: Timestamp,
        in transaction: inout WriteTransaction
    ) throws -> ChangeAnswer {
        let app = try context.ids.number(of: registration.app, in: &transaction)
        let address = registration.address
        let digest = tables.digest(of: address, app: app)
        var target = Target(
            app: app, digest: digest, seenAt: registration.seenAt.effective(at: now), now: now)

        if let device = try context.tokenIndex.deviceInCache(at: address, digest: digest, app: app, in: transaction) {
            target.state = .device(device.id)
            target.current = device
            return try refreshOrReplace(registration, at: target, in: &transaction)
        }
        switch try insertOrFind(registration, at: target, in: &transaction) {
        case .inserted(let attributes):
            let id = try context.ids.newDevice(of: registration.app)
            var device = Self.makeDevice(id, of: registration, known: nil, at: target)
            device.attributes = attributes
            try insert(device, from: registration, app: app, in: &transaction)
            return .registered(id, .created, ended: nil)
        case .vacant: break
        case .occupied(.tombstone(let tombstone)):
            guard !target.rule.isStale(after: tombstone) else { return .refused(.stale) }
            target.state = .tombstone(tombstone)
        case .occupied(.device(let id)):
            target.current = try context.tokenIndex.fetchDevice(
                id, at: address, digest: digest, app: app, in: transaction)
            target.state = .device(id)
        }
        return try refreshOrReplace(registration, at: target, in: &transaction)
    }

    /// Gives the address to the device with the next id if nothing is stored there and the registration may make a
    /// device. Otherwise changes nothing.
    private func insertOrFind(
        _ registration: Registration, at target: Target, in transaction: inout WriteTransaction
    ) throws -> InsertionResult {
        let address = registration.address
        guard let attributes = try attributesIfNew(registration, app: target.app, in: transaction) else {
            let stored = try context.tokenIndex.state(
                of: address, digest: target.digest, app: target.app, in: transaction)
            return stored.map(InsertionResult.occupied) ?? .vacant
        }
        // During bulk ingest nearly all devices are new, and `insertIfAbsent` mostly knows it without reading the
        // table.
        let id = DeviceID(rawValue: context.ids.nextDevice(of: registration.app))
        let stored = try context.tokenIndex.insertIfAbsent(
            id, at: address, digest: target.digest, app: target.app, in: &transaction)
        return stored.map(InsertionResult.occupied) ?? .inserted(attributes)
    }

    /// Inserts a new device, which has its address already.
    private func insert(
        _ device: DeviceRecord, from registration: Registration, app: AppNumber, in transaction: inout WriteTransaction
    ) throws {
        let membership = MembershipRecord()
        try tables.devices.insert(device, app: app, in: &transaction)
        try context.deviceSets.insertIntoAll(device, membership: membership, app: app, in: &transaction)
        try storeSubscription(of: registration, for: device.id, isReplaced: false, app: app, in: &transaction)
        let member = ChangingDevice(id: device.id, isActive: true, membership: membership)
        try addTopicsAndGroups(of: registration, to: member, app: app, in: &transaction)
    }

    /// Applies a registration that may be refused, finds a known address, or replaces the token of a known device.
    private func refreshOrReplace(
        _ registration: Registration, at target: Target, in transaction: inout WriteTransaction
    ) throws -> ChangeAnswer {
        try context.bufferedTopics.flush(in: &transaction)
        switch try plan(for: registration, at: target, in: transaction) {
        case .refused(let refusal): return .refused(refusal)
        case .planned(let plan):
            let id = try carryOut(plan, of: registration, at: target, in: &transaction)
            let isReplaced = plan.replaced != nil
            let result: RegisterResultKind =
                if isReplaced { .replaced } else if target.current != nil { .refreshed } else { .created }
            return .registered(
                id, result, ended: isReplaced ? target.current?.id : nil,
                changesAudiences: plan.known != nil && registration.changesAudiences)
        }
    }

    /// Plans a registration, or finds the reason to refuse it; changes nothing.
    private func plan(
        for registration: Registration, at target: Target, in transaction: borrowing WriteTransaction
    ) throws -> PlanResult {
        let app = target.app
        let current = target.current
        let rule = target.rule
        let replaced = try replacedDevice(registration, app: app, in: transaction)
        // A stale registration is refused as stale, also if it would exceed a limit.
        if rule.isStale(current: current?.seenAt, replaced: replaced?.seenAt) { return .refused(.stale) }
        let known = replaced ?? current
        var attributes = known?.attributes ?? Attributes()
        guard attributes.tryToMerge(registration.attributes) else {
            return .refused(.tooMany(.attributes))
        }
        let membership = try membershipRecord(of: known, app: app, in: transaction)
        if let item = try exceededLimit(of: registration, over: membership, app: app, in: transaction) {
            return .refused(.tooMany(item))
        }
        let isTokenDead = try rule.isTokenDead(
            current: current?.seenAt, replaced: replaced?.seenAt,
            declaredDeadAt: { try current.flatMap { try declaredDeadAt(of: $0, app: app, in: transaction) } })
        return .planned(
            Plan(
                replaced: replaced, known: known, attributes: attributes, membership: membership,
                isTokenDead: isTokenDead))
    }

    /// Stores what a plan says; returns the id of the registered device.
    private func carryOut(
        _ plan: Plan, of registration: Registration, at target: Target,
        in transaction: inout WriteTransaction
    ) throws -> DeviceID {
        let app = target.app
        let known = plan.known
        let now = target.now
        let id = try known?.id ?? context.ids.newDevice(of: registration.app)
        if let replaced = plan.replaced {
            let scope = ChangeScope(app: app, now: now)
            try context.tombstones.write(
                replaced.address, scope: scope, replacing: nil, at: target.seenAt, in: &transaction)
            if let current = target.current { try context.deviceRemover.remove(current, app: app, in: &transaction) }
        }
        var device = Self.makeDevice(id, of: registration, known: known, at: target)
        device.attributes = plan.attributes
        if plan.isTokenDead {
            device.state = .quarantined
            // The time stays, so that the provider is believed if the device is restored and reported dead once more.
            device.registeredAt = known?.registeredAt ?? now
        }
        try storeDevice(device, as: plan, at: target, in: &transaction)
        let isReplaced = plan.replaced != nil
        try storeSubscription(of: registration, for: id, isReplaced: isReplaced, app: app, in: &transaction)
        let member = ChangingDevice(id: id, isActive: device.state == .active, membership: plan.membership)
        try addTopicsAndGroups(of: registration, to: member, app: app, in: &transaction)
        if isReplaced {
            try context.events.append(
                Event(at: now, kind: .tokenReplaced, app: registration.app, device: id), in: &transaction)
        }
        return id
    }

    // MARK: What the registration finds

    /// Returns the device whose token is replaced; nil if no device has that token, or if the two tokens are one.
    private func replacedDevice(
        _ registration: Registration, app: AppNumber, in transaction: borrowing WriteTransaction
    ) throws -> DeviceRecord? {
        guard let token = registration.replaces, token != registration.address.token else { return nil }
        var address = registration.address
        address.token = token
        return try context.tokenIndex.device(at: address, app: app, in: transaction)
    }

    private func membershipRecord(
        of device: DeviceRecord?, app: AppNumber, in transaction: borrowing WriteTransaction
    ) throws -> MembershipRecord {
        try device.map { try tables.memberships.get($0.id, app: app, in: transaction) } ?? MembershipRecord()
    }

    /// Returns the time at which the provider has declared the token of a device dead; nil if it has not.
    private func declaredDeadAt(
        of device: DeviceRecord, app: AppNumber, in transaction: borrowing WriteTransaction
    ) throws -> Timestamp? {
        guard device.state == .quarantined else { return nil }
        return try context.quarantine.startTime(of: device.id, app: app, in: transaction)
    }

    /// Returns the attributes of the device that is made if nothing is stored at the address; nil if the registration
    /// would be refused then, or if it replaces another token.
    private func attributesIfNew(
        _ registration: Registration, app: AppNumber, in transaction: borrowing WriteTransaction
    ) throws -> Attributes? {
        var attributes = Attributes()
        guard registration.replaces == nil, attributes.tryToMerge(registration.attributes),
            try exceededLimit(of: registration, over: MembershipRecord(), app: app, in: transaction) == nil
        else { return nil }
        return attributes
    }

    // MARK: Limits

    /// Returns the limit that a registration would exceed; nil if it exceeds none.
    private func exceededLimit(
        of registration: Registration,
        over membership: MembershipRecord,
        app: AppNumber,
        in transaction: borrowing WriteTransaction
    ) throws -> ChangeAnswer.LimitedItem? {
        if try !mayGainTopics(of: registration.groups, beyond: membership.groups, app: app, in: transaction) {
            return .topicsOfDevices
        }
        // Most devices are far from every limit, so a sum is enough for them. The limit of groups is the lowest.
        let upperBound = max(
            membership.topics.count + registration.topics.count, membership.groups.count + registration.groups.count)
        guard upperBound > MembershipLimits.groupsPerDevice else { return nil }
        let topics = Set(registration.topics.map(SetLabel.topic))
        let topicCount = try context.memberFinder.count(
            of: membership.topics, adding: topics, app: app, in: transaction)
        if topicCount > MembershipLimits.topicsPerSubscriber { return .topics }
        let groups = Set(registration.groups.map(SetLabel.group))
        let groupCount = try context.memberFinder.count(
            of: membership.groups, adding: groups, app: app, in: transaction)
        return groupCount > MembershipLimits.groupsPerDevice ? .groups : nil
    }

    /// Returns true if the device may get the topics of the groups that it is not in yet, within
    /// `MembershipLimits.topicChanges`.
    private func mayGainTopics(
        of groups: [GroupName], beyond held: [SetNumber], app: AppNumber, in transaction: borrowing WriteTransaction
    ) throws -> Bool {
        // Most registrations are far from the limit, whatever the groups have.
        if context.deviceSets.gainedTopics.hasRoom(for: groups.count * MembershipLimits.topicsPerSubscriber) {
            return true
        }
        let gained = try Set(groups).reduce(0) { count, name in
            guard let group = try context.sets.find(.group(name), app: app, in: transaction),
                !held.containsSorted(group.number)
            else { return count }
            return try count + context.deviceSets.topicCount(of: group, in: transaction)
        }
        return context.deviceSets.gainedTopics.hasRoom(for: gained)
    }

    // MARK: What the registration stores

    /// Makes the row of the device that a registration makes or changes: active, and without attributes.
    private static func makeDevice(
        _ id: DeviceID, of registration: Registration, known: DeviceRecord?, at target: Target
    ) -> DeviceRecord {
        DeviceRecord(
            id: id,
            address: registration.address,
            registeredAt: target.now,
            seenAt: target.seenAt,
            state: .active,
            locale: DeviceRecord.textToStore(registration.locale, stored: known?.locale),
            timeZone: DeviceRecord.textToStore(registration.timeZone, stored: known?.timeZone),
            attributes: Attributes()
        )
    }

    /// Stores a device, its address, and its membership of sets.
    private func storeDevice(
        _ device: DeviceRecord, as plan: Plan, at target: Target,
        in transaction: inout WriteTransaction
    ) throws {
        let app = target.app
        try tables.devices.put(device, app: app, in: &transaction)
        if target.state != .device(device.id) {
            try context.tombstones.delete(target.state, at: device.address, app: app, in: &transaction)
            try context.tokenIndex.put(.device(device.id), at: target.digest, app: app, in: &transaction)
        }
        if let known = plan.known, known.state == .active {
            try context.deviceSets.updateDerived(from: known, to: device, app: app, in: &transaction)
        } else if device.state == .active {
            if plan.known != nil {
                try context.quarantine.leave(device.id, membership: plan.membership, app: app, in: &transaction)
            }
            try context.deviceSets.insertIntoAll(device, membership: plan.membership, app: app, in: &transaction)
        }
    }

    /// Stores the push subscription of a browser.
    ///
    /// - Parameter isReplaced: true if the device had another token before: its old subscription is over.
    private func storeSubscription(
        of registration: Registration, for id: DeviceID, isReplaced: Bool, app: AppNumber,
        in transaction: inout WriteTransaction
    ) throws {
        guard registration.address.kind == .web else { return }
        if let subscription = registration.subscription {
            try tables.browsers.put(subscription, for: id, app: app, in: &transaction)
        } else if isReplaced {
            try tables.browsers.delete(id, app: app, in: &transaction)
        }
    }

    private func addTopicsAndGroups(
        of registration: Registration, to member: ChangingDevice, app: AppNumber, in transaction: inout WriteTransaction
    ) throws {
        guard !registration.topics.isEmpty || !registration.groups.isEmpty else { return }
        var member = member
        var hasChanged = false
        for topic in registration.topics {
            let topic = try context.deviceSets.set(.topic(topic), of: app, in: &transaction)
            if try context.deviceSets.addTopic(topic, to: &member, in: &transaction) { hasChanged = true }
        }
        for group in registration.groups {
            let group = try context.deviceSets.set(.group(group), of: app, in: &transaction)
            if try context.deviceSets.addGroup(group, to: &member, in: &transaction) { hasChanged = true }
        }
        if hasChanged { try tables.memberships.put(member.membership, for: member.id, app: app, in: &transaction) }
    }
}

extension Registration {
    /// True if a device that was known before may be in other audiences after the registration.
    fileprivate var changesAudiences: Bool {
        locale != nil || !attributes.isEmpty || !groups.isEmpty || !topics.isEmpty
    }
}
