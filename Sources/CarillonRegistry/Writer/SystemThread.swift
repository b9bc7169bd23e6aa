import CarillonCore

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Threads that may wait for a disk or a lock, which a task must not.
enum SystemThread {
    /// Carries a closure to its thread.
    private final class Context {
        let body: () -> Void

        init(_ body: @escaping () -> Void) {
            self.body = body
        }
    }

    /// Runs `body` on a new thread.
    ///
    /// - Throws: `.storageFailed` if the system has no thread.
    static func start(_ body: sending @escaping () -> Void) throws(RegistryError) {
        let context = Unmanaged.passRetained(Context(body))
        var thread = pthread_t()
        // Safety: the box is retained for the thread, which takes it back exactly once.
        let result = pthread_create(
            &thread,
            nil,
            { context in
                guard let context else { return nil }
                Unmanaged<Context>.fromOpaque(context).takeRetainedValue().body()
                return nil
            },
            context.toOpaque()
        )
        guard result == 0 else {
            context.release()
            throw .storageFailed("no thread (\(result))")
        }
        pthread_detach(thread)
    }
}
