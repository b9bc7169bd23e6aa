/// The queue to which changes are submitted. They are applied in order, and are answered when they are on disk.
package protocol ChangeQueue: AnyObject, Sendable {
    /// Queues one change that takes effect after everything queued before.
    ///
    /// ```swift
    /// registry.submit(.register(registration, now: now), deadline: nil) { result in
    ///     switch result {
    ///     case .success(.registered(let device, let kind, _, _)): …  // on disk: device 7, created
    ///     case .success(.refused(let refusal)): …                    // no effect: `.stale`, a newer one is stored
    ///     case .success: …                                           // no other answer fits a registration
    ///     case .failure(let error): …                                // `.overloaded`: the queue is full, try later
    ///     }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - deadline: the time after which it is refused with `.deadline` if not begun.
    ///   - completion: called once, on a thread of the registry: when the change is on disk, or with the error that
    ///     kept it from taking effect. If the queue refuses it, called on the caller's thread before `submit` returns.
    ///     Must not block.
    func submit(
        _ change: Change,
        deadline: Uptime?,
        completion: @escaping @Sendable (Result<ChangeAnswer, RegistryError>) -> Void
    )

    /// Queues changes that came together and are independent: in order, after everything queued before. If one fails,
    /// the others do not.
    ///
    /// - Parameters:
    ///   - changes: each with its deadline: a change that is not begun by then is refused with `.deadline`. A change
    ///     for which the queue has no room is refused with `.overloaded`.
    ///   - completion: called once, when the last result is known, with one result for each change in order. It is
    ///     called on a thread of the registry, or on the caller's if the last of them was refused. Must not block.
    func submitEach(
        _ changes: [(change: Change, deadline: Uptime?)],
        completion: @escaping @Sendable ([Result<ChangeAnswer, RegistryError>]) -> Void
    )

    /// Queues changes that take effect together, in order, after everything queued before.
    ///
    /// - Parameters:
    ///   - changes: at most `RegistryLimits.changesPerSubmission`.
    ///   - deadline: if they are not begun by then, they are refused with `.deadline`.
    ///   - completion: called once, on a thread of the registry: when all are on disk, with one answer for each change
    ///     in order, or with the error that kept every one of them from taking effect. If the queue refuses them,
    ///     called on the caller's thread before `submit` returns. Must not block.
    func submit(
        _ changes: [Change],
        deadline: Uptime?,
        completion: @escaping @Sendable (Result<[ChangeAnswer], RegistryError>) -> Void
    )
}
