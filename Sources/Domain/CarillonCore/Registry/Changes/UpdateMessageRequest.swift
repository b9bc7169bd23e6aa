/// A message update and its message (UPDATE_MESSAGE, Protocol 10.6).
package struct UpdateMessageRequest: Hashable, Sendable {
    package var app: AppID
    package var id: MessageID
    package var messageUpdate: MessageUpdate

    package init(app: AppID, id: MessageID, messageUpdate: MessageUpdate) {
        self.app = app
        self.id = id
        self.messageUpdate = messageUpdate
    }
}
