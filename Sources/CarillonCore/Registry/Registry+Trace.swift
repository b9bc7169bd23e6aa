extension Registry {
    /// Until the registry keeps attempts: no message is known.
    package func trace(
        of message: MessageID, device: DeviceReference, app: AppID
    ) throws(RegistryError) -> MessageTraceResult {
        .noMessage
    }
}
