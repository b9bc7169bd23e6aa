import NIOCore
import Synchronization

/// One value for each event loop, made when it is first asked for. A value is used on its loop only.
final class PerLoop<Value>: Sendable {
    private let values = Mutex<[ObjectIdentifier: NIOLoopBound<Value>]>([:])

    /// Returns the value of a loop, and makes it at the first call. Called on that loop only.
    func value(on loop: any EventLoop, make: (any EventLoop) -> Value) -> Value {
        let bound = values.withLock { values in
            let key = ObjectIdentifier(loop)
            if let known = values[key] { return known }
            let new = NIOLoopBound(make(loop), eventLoop: loop)
            values[key] = new
            return new
        }
        return bound.value
    }
}
