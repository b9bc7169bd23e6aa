import Glibc

/// Threads that may wait for a disk, a socket or a lock, which a task must not.
package enum SystemThread {
    /// The system has no thread for the process.
    package struct StartError: Error, CustomStringConvertible {
        /// What `pthread_create` returned: a number of `errno`.
        package let code: CInt

        /// A sentence with the reason of the system.
        package var description: String { "the system has no thread: \(String(cString: strerror(code)))" }
    }

    /// Carries a closure to its thread.
    private final class Context {
        let body: () -> Void

        init(_ body: @escaping () -> Void) {
            self.body = body
        }
    }

    /// Runs `body` on a new thread, which ends with it.
    ///
    /// - Throws: ``StartError``; `body` is not called then.
    package static func start(_ body: sending @escaping () -> Void) throws(StartError) {
        let context = Unmanaged.passRetained(Context(body))
        var thread = pthread_t()
        // Safety: the box is retained for the thread, which takes it back exactly once.
        let result = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<Context>.fromOpaque(context).takeRetainedValue().body()
                return nil
            }, context.toOpaque())
        guard result == 0 else {
            context.release()
            throw StartError(code: result)
        }
        pthread_detach(thread)
    }
}
