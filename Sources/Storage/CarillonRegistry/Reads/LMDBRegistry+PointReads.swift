import CarillonClock
package import CarillonCore
import CarillonLMDB

/// The operations LOOKUP and MESSAGE_STATUS: on a snapshot, or by the writer.
extension LMDBRegistry {
    /// Answers point reads on one snapshot, without waiting; see `Registry.pointRead`.
    package func pointRead(
        _ pointReads: ArraySlice<PointRead>, of app: AppID,
        _ answered: (Int, Result<PointReadResult?, RegistryError>?) -> Bool
    ) {
        // This is read before the snapshot begins: then the snapshot shows everything that is answered now.
        let isSnapshotCurrent = isSnapshotCurrent
        do throws(RegistryError) {
            try readBrieflyWithoutWaiting { transaction, tables in
                let view: PointReader.View =
                    if isSnapshotCurrent { .current } else if readGate.knowsChangedDevices { .unchangedDevices } else {
                        .unreliable
                    }
                guard let reader = try PointReader(app: app, tables: tables, in: transaction) else {
                    return PointReader.answerWithoutApp(pointReads, view: view, answered)
                }
                reader.answer(pointReads, view: view, in: transaction, answered)
            }
        } catch {
            // There is no snapshot, or its apps cannot be read: then none was answered.
            for index in pointReads.indices where !answered(index, .failure(error)) { return }
        }
    }

    /// Answers point reads on what the writer has applied; see `Registry.submitPointReads`.
    package func submitPointReads(
        _ pointReads: [PointRead], of app: AppID, for principal: String,
        completion: @escaping @Sendable ([Result<PointReadResult?, RegistryError>]) -> Void
    ) {
        let read = WriterRead(
            principal: principal,
            needs: .pointReads(app: app),
            run: { transaction, tables, known in
                completion(Self.results(of: pointReads, app: app, known: known, tables: tables, in: transaction))
            },
            fail: { error in completion(pointReads.map { _ in .failure(error) }) })
        guard !queue.append(read) else { return }
        // The writer has ended: everything is committed, or there is an error.
        var results: [Result<PointReadResult?, RegistryError>] = []
        pointRead(pointReads[...], of: app) {
            results.append($1 ?? .failure(.closed))
            return true
        }
        completion(results)
    }

    /// Answers the first of some point reads: as many as the time slice of a read, and the bytes of its answer, allow.
    private static func results(
        of pointReads: [PointRead], app: AppID, known: WriterRead.KnownDevice, tables: Tables,
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

    /// Returns the device of a reference, active or quarantined; nil if there is no such device.
    package func device(_ reference: DeviceReference, of app: AppID) throws(RegistryError) -> DeviceRecord? {
        try readCurrent { transaction, tables in
            guard let reader = try PointReader(app: app, tables: tables, in: transaction) else { return nil }
            return try reader.device(reference, cached: reader.prefetch([.device(reference)])[0], in: transaction)
        }
    }

    package func status(of message: MessageID, app: AppID) throws(RegistryError) -> MessageStatus? {
        try readCurrent { transaction, tables in
            try PointReader(app: app, tables: tables, in: transaction)?.status(of: message, in: transaction)
        }
    }

    package func content(of message: MessageID, app: AppID) throws(RegistryError) -> MessageContent? {
        try readCurrent { transaction, tables in
            guard let number = try tables.apps.get(app, in: transaction)?.number,
                try tables.progress.get(message, in: transaction)?.app == number
            else { return nil }
            return try tables.messages.get(message, in: transaction)?.content
        }
    }
}

extension Result<PointReadResult?, RegistryError> {
    /// The number of bytes of a message's audience, the one part of an answer that can be long.
    fileprivate var audienceBytes: Int {
        guard case .success(.status(let status)?) = self else { return 0 }
        return status.audience?.utf8.count ?? 0
    }
}
