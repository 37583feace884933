/** The command in advice: both options are required. */
export const CREATE_TOKEN = 'svc token create --name NAME --role ROLE';
