package import CarillonCore

/// The form of changes in the write-ahead log.
extension FrameWriter {
    /// Appends the request that asks for a change. The write-ahead log keeps changes in this form.
    ///
    /// - Returns: false, and nothing is appended, if no request asks for this change alone.
    package mutating func request(for change: Change, id: UInt64) -> Bool {
        switch change {
        // The frequent changes are written without the table, so that the compiler knows their types.
        case .register(let registration, _): request(registration, id: id)
        case .subscribe(let subscription): request(SubscribeRequest(subscription), id: id)
        case .unsubscribe(let subscription): request(UnsubscribeRequest(subscription), id: id)
        case .join(let join, _, _) where join.leaving == nil: request(join, id: id)
        case .leave(let leave): request(leave, id: id)
        case .unregister(let unregistration, _): request(unregistration, id: id)
        case .updateDevice(let update): request(update, id: id)
        default: return OperationTable.rows.contains { $0.writeChange(change, id, &self) }
        }
        return true
    }
}
