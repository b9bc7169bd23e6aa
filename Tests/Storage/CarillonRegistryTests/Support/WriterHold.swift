import CarillonCore
import Dispatch

@testable import CarillonRegistry

/// A writer that waits in the completion of a submission until it is released.
final class WriterHold: Sendable {
    fileprivate let isHeld = DispatchSemaphore(value: 0)
    fileprivate let mayGoOn = DispatchSemaphore(value: 0)

    deinit { release() }

    func release() { mayGoOn.signal() }
}

extension LMDBRegistry {
    /// Submits a change and holds the writer when it is made; returns when it is held.
    func holdWriter(with change: Change) -> WriterHold {
        let hold = WriterHold()
        submit(change, deadline: nil) { [isHeld = hold.isHeld, mayGoOn = hold.mayGoOn] _ in
            isHeld.signal()
            mayGoOn.wait()
        }
        hold.isHeld.wait()
        return hold
    }
}
