import { isError } from '../../../src/adapter-kit.ts';
import { InvalidOptionsError } from '../../../src/index.ts';

type Resource = 'topic' | 'group';

/** Whether brokers say that the client lacks a right. kafkajs may wrap that. */
export function isDenied(error: unknown, resource: Resource): boolean {
  if (!isError(error)) return false;
  if ('type' in error && error.type === `${resource.toUpperCase()}_AUTHORIZATION_FAILED`) return true;
  // The reason is lost where kafkajs asks for the coordinator of a group.
  if (resource === 'group' && error.name === 'KafkaJSGroupCoordinatorNotFound') return true;
  return error.cause !== error && isDenied(error.cause, resource);
}

export function notAllowed(
  field: string,
  name: string,
  right: 'Read' | 'Write',
  resource: Resource,
): InvalidOptionsError {
  const message = `is ${name}, and the brokers do not let this client use it: grant ${right} on that ${resource}`;
  return new InvalidOptionsError('redriveTopic', [{ field, message }]);
}

/** Names what the client may not read, in an error of reading dead letters. */
export function namingDenied(error: unknown, topic: string, groupId: string): unknown {
  if (isDenied(error, 'topic')) return notAllowed('from', topic, 'Read', 'topic');
  return isDenied(error, 'group') ? notAllowed('groupId', groupId, 'Read', 'group') : error;
}
