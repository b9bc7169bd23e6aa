import CarillonClock
import CarillonCore
import CarillonLMDB

/// Answers the point reads of one app on one snapshot: rows that many of them need are read once.
///
/// Clients send lookups one after the other without waiting, so up to 128 pipelined reads come together. `prefetch`
/// first touches the rows of all of them, so that the processor fetches these from memory at the same time. Only then
/// is each read answered, in order.
///
/// A snapshot may lack changes that were answered already: they are in the memory of the writer only. `View` says which
/// answers of the snapshot count nevertheless. A read without such an answer is left to the writer.
final class PointReader {
    /// The view of the reader's transaction on the changes that were answered before the reads came.
    enum View {
        /// The transaction shows all of these changes.
        case current
        /// The transaction shows all of these changes of the devices that are not marked as changed.
        case unchangedDevices
        /// The transaction may lack any of these changes: no answer from it can be trusted.
        case unreliable
    }

    /// The device of a point read, as the request names it.
    private enum PrefetchKey {
        /// The device of an address, given as its digest: the token lookup cache may know the id.
        case address(AddressDigest)
        case id(DeviceID)
        case nothing
    }

    private let tables: Tables
    private let app: AppNumber
    /// The set of the muted; nil if the app has none.
    private let muted: SetRecord?

    /// Makes a reader; nil if there is no such app.
    init?(app: AppID, tables: Tables, in transaction: borrowing ReadTransaction) throws {
        guard let number = try tables.apps.get(app, in: transaction)?.number else { return nil }
        self.tables = tables
        self.app = number
        muted = try tables.sets.get(.muted, app: number, in: transaction)
    }

    // MARK: Reading

    /// Answers point reads in order, until `answered` returns false. An answer is nil if the transaction may lack a
    /// change of the row that is asked for.
    ///
    /// - Parameter known: the device of an address that may have no row yet, if the caller knows it.
    func answer(
        _ pointReads: ArraySlice<PointRead>, view: View = .current,
        known: WriterRead.KnownDeviceLookup = { _, _ in nil },
        in transaction: borrowing ReadTransaction, _ answered: (Int, Result<PointReadResult?, RegistryError>?) -> Bool
    ) {
        let cached = prefetch(pointReads, known: known)
        for (index, device) in zip(pointReads.indices, cached) {
            let answer = answer(pointReads[index], cached: device, in: transaction)
            let isShown = view == .current || view == .unchangedDevices && shows(answer, in: transaction)
            guard answered(index, isShown ? answer : nil) else { return }
        }
    }

    /// Answers point reads of an app that the transaction does not have, until `answered` returns false. Nothing is
    /// found, or, if the transaction may lack a change, the answer is nil.
    static func answerWithoutApp(
        _ pointReads: ArraySlice<PointRead>, view: View,
        _ answered: (Int, Result<PointReadResult?, RegistryError>?) -> Bool
    ) {
        for index in pointReads.indices where !answered(index, view == .current ? .success(nil) : nil) { return }
    }

    /// Answers the first of some point reads: as many as the time slice of a read, and the bytes of its answer, allow.
    static func firstAnswers(
        to pointReads: [PointRead], app: AppID, known: WriterRead.KnownDeviceLookup, tables: Tables,
        in transaction: borrowing ReadTransaction
    ) -> [Result<PointReadResult?, RegistryError>] {
        var results: [Result<PointReadResult?, RegistryError>] = []
        results.reserveCapacity(pointReads.count)
        let end = Clock.uptimeNanoseconds() + WriterRead.timeSliceNanoseconds
        var bytes = 0
        func append(_: Int, _ result: Result<PointReadResult?, RegistryError>?) -> Bool {
            guard let result else { return false }
            results.append(result)
            bytes += result.audienceBytes
            return bytes < WriterRead.maximumAnswerBytes && Clock.uptimeNanoseconds() < end
        }
        do {
            if let reader = try PointReader(app: app, tables: tables, in: transaction) {
                reader.answer(pointReads[...], known: known, in: transaction, append)
            } else {
                PointReader.answerWithoutApp(pointReads[...], view: .current, append)
            }
        } catch {
            return pointReads.map { _ in .failure(RegistryError(reading: error)) }
        }
        return results
    }

    /// Returns the device of a reference, with whether it is muted; nil if there is no such device.
    ///
    /// - Parameter cached: the result of `prefetch` for the reference.
    func device(
        _ reference: DeviceReference, cached: DeviceID?, in transaction: borrowing ReadTransaction
    ) throws -> DeviceRecord? {
        let found =
            switch reference {
            case .id(let id): try tables.devices.get(id, app: app, in: transaction)
            case .address(let address): try tables.device(at: address, app: app, cached: cached, in: transaction)
            }
        guard var device = found else { return nil }
        if let muted { device.isMuted = try isMuted(device, by: muted, in: transaction) }
        return device
    }

    func status(of message: MessageID, in transaction: borrowing ReadTransaction) throws -> MessageStatus? {
        guard let progress = try tables.progress.get(message, in: transaction), progress.app == app else { return nil }
        var status = progress.status
        let metadata = try tables.messageMetadata.get(message, in: transaction)
        status.label = metadata.label
        status.sender = metadata.sender
        status.traceParent = metadata.traceParent
        // A list has no text; a channel is of push type liveactivity.
        if progress.isLive || progress.pushType == .liveactivity {
            status.audience = try tables.messages.audienceText(
                of: message, atMost: MessageStatus.maximumAudienceBytes, in: transaction)
        }
        return status
    }

    // MARK: Helpers

    /// Prefetches the rows of all point reads, because the processor would wait for each in turn. Returns the devices
    /// that they may read.
    func prefetch(
        _ pointReads: ArraySlice<PointRead>, known: WriterRead.KnownDeviceLookup = { _, _ in nil }
    ) -> [DeviceID?] {
        let app = app
        let tokenLookupCache = tables.tokenLookupCache
        let devices = tables.devices
        let keys = pointReads.map { pointRead -> PrefetchKey in
            switch pointRead {
            case .device(.address(let address)):
                let digest = tables.digest(of: address, app: app)
                tokenLookupCache.prefetch(digest)
                return .address(digest)
            case .device(.id(let id)): return .id(id)
            case .status: return .nothing
            }
        }
        return keys.map { key in
            let id: DeviceID? =
                switch key {
                case .address(let digest): known(digest, app) ?? tokenLookupCache.device(at: digest)
                case .id(let id): id
                case .nothing: nil
                }
            if let id { devices.prefetch(id, app: app) }
            return id
        }
    }

    /// Returns the answer to a point read; `cached` is the result of `prefetch` for it.
    private func answer(
        _ pointRead: PointRead, cached: DeviceID?, in transaction: borrowing ReadTransaction
    ) -> Result<PointReadResult?, RegistryError> {
        do {
            switch pointRead {
            case .device(let reference):
                return .success(try device(reference, cached: cached, in: transaction).map(PointReadResult.device))
            case .status(let message):
                return .success(try status(of: message, in: transaction).map(PointReadResult.status))
            }
        } catch {
            return .failure(RegistryError(reading: error))
        }
    }

    /// Returns true if the answer is a device that has not changed since the snapshot. An answer without a device
    /// proves nothing: the device may be new.
    private func shows(
        _ answer: Result<PointReadResult?, RegistryError>, in snapshot: borrowing ReadTransaction
    ) -> Bool {
        guard case .success(.device(let device)?) = answer else { return false }
        return !tables.devices.mayHaveChanged(device.id, app: app, since: snapshot)
    }

    /// Returns true if a device itself is muted. An active device that is muted is in the postings of the muted, which
    /// are few; a quarantined device is counted there. A device may also be in these postings because of a group, so
    /// its membership decides.
    private func isMuted(
        _ device: DeviceRecord, by muted: SetRecord, in transaction: borrowing ReadTransaction
    ) throws -> Bool {
        switch device.state {
        case .active:
            guard muted.devices > 0,
                try tables.postings.get(
                    PostingTable.RowKey(app: app, set: muted.number, chunk: device.id.chunk), in: transaction)?
                    .contains(
                        device.id.offset)
                    == true
            else { return false }
        case .quarantined:
            guard muted.quarantinedMembers > 0 else { return false }
        }
        return try tables.memberships.get(device.id, app: app, in: transaction).topics.containsSorted(muted.number)
    }
}

extension Result<PointReadResult?, RegistryError> {
    /// The number of bytes of a message's audience, the one part of an answer that can be long.
    fileprivate var audienceBytes: Int {
        guard case .success(.status(let status)?) = self else { return 0 }
        return status.audience?.utf8.count ?? 0
    }
}
