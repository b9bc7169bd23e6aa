import CarillonSession
import NIOCore

/// The way of commands from the tasks to the dispatcher.
extension CallDispatcher {
    /// Takes the commands of the tasks out of the inbox, and carries them out.
    func takeCommands() {
        let commands = inbox.take()
        for command in commands {
            switch command {
            case .begin(let call, let id): begin(call, id: id)
            case .cancel(let id): cancel(id)
            case .readAfter(let position): readAfter(position)
            case .close(let drainTimeout, let continuation):
                close(drainTimeout: drainTimeout, continuation: continuation)
            }
        }
        commandPacing.commandsTaken(commands.count, callsUnderWay: calls.count)
        if commandPacing.isWaiting { waitForCommands() }
    }

    /// Takes the next commands after a moment; until then none of them wakes the event loop.
    private func waitForCommands() {
        guard inbox.holdWakes() else { return }
        let wait = TimeAmount.microseconds(CommandPacing.waitMicroseconds)
        eventLoop.assumeIsolated().scheduleTask(in: wait) { [weak self] in self?.takeCommands() }
    }
}
